import type { Output } from '../access/output-id.ts';
import {
  type Head,
  type OpenedFile,
  opened,
  type Seal,
  sealed,
  sealedLength,
} from './sealed-file.ts';

/** Where outputs are kept: in a bucket, if one is bound. */
export type OutputEnv = Pick<Env, 'KV'> & { readonly OUTPUTS?: R2Bucket };

/** What is kept of an output: the image as it was sent, and what has been made of it. */
export type OutputPart = Seal['kind'];

/** Where an output is, and what it is sealed under. */
type Place = Pick<Output, 'name' | 'key'>;

const mebibyte = 2 ** 20;

/** KV takes values of 25 MiB. */
export const maxKvFileBytes = 24 * mebibyte;

/** The largest file that can be kept, in bytes; all that may be sent, where a bucket is bound. */
export function maxOutputBytes({ OUTPUTS }: OutputEnv, maxFileBytes: number): number {
  return OUTPUTS ? maxFileBytes : Math.min(maxFileBytes, maxKvFileBytes);
}

const prefix = 'output:';

function nameOf({ name }: Place, part: OutputPart): string {
  return `${prefix}${name}:${part}`;
}

/** What is kept of a part, and until when: milliseconds since 1970. */
interface Kept {
  readonly bytes: Uint8Array;
  readonly head: Head;
  readonly expiresAt: number;
}

/**
 * Keeps a part of an output, sealed.
 * @throws Error when the store fails; nothing is read of the bytes any more then
 */
export async function keepOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
  { bytes, head, expiresAt }: Kept,
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(sealedLength(bytes.length));
  const name = nameOf(output, part);
  // KV keeps nothing for less than a minute
  const expiration = Math.floor(Math.max(expiresAt, Date.now() + 62_000) / 1000);
  const stored = OUTPUTS ? OUTPUTS.put(name, readable) : KV.put(name, readable, { expiration });
  const written = write(sealed(bytes, head, { key: output.key, kind: part }), writable);
  const ends = await Promise.allSettled([stored, written]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Bytes that are written at a time: the runtime keeps a copy of them until they have left. */
const stepBytes = 64 * 1024;

async function write(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; at += stepBytes) {
        await writer.write(piece.subarray(at, at + stepBytes));
      }
      piece.buffer.transfer(0);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

/** Opens a part of an output; null: it is not there, or not yet where it is looked for. */
export async function openOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
): Promise<OpenedFile | null> {
  const name = nameOf(output, part);
  const stream = OUTPUTS ? (await OUTPUTS.get(name))?.body : await KV.get(name, 'stream');
  return stream ? opened(stream, { key: output.key, kind: part }) : null;
}

/** Forgets an output of which nothing came. */
export async function dropOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
): Promise<void> {
  await (OUTPUTS ?? KV).delete(nameOf(output, part));
}

/** Objects that one deletion takes. */
const pageSize = 1000;

/**
 * Deletes what has been lying in the bucket for too long; in KV it expires by itself.
 * @param since milliseconds since 1970: what was kept before that is over
 */
export async function clearOutputs({ OUTPUTS }: OutputEnv, since: number): Promise<void> {
  if (!OUTPUTS) return;
  for (let cursor: string | undefined; ; ) {
    const page = await OUTPUTS.list({ prefix, limit: pageSize, ...(cursor && { cursor }) });
    const isOver = ({ uploaded }: R2Object) => uploaded.getTime() < since;
    const over = page.objects.filter(isOver).map(({ key }) => key);
    if (over.length > 0) await OUTPUTS.delete(over);
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}
