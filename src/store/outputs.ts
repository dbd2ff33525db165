import type { Output } from '../access/output-id.ts';
import type { Platform, R2Listed } from '../platform.ts';
import {
  type Head,
  type OpenedFile,
  openSealedFile,
  type Seal,
  sealedLength,
  sealFile,
} from './sealed-file.ts';

/** Where outputs are stored: in a bucket, if one is bound; otherwise in KV. */
export type OutputEnv = Pick<Platform, 'KV' | 'OUTPUTS'>;

/** The parts of an output: the uploaded image, and its result. */
export type OutputPart = Seal['kind'];

/** The name under which an output is stored, and the key under which it is sealed. */
type Place = Pick<Output, 'name' | 'key'>;

const mebibyte = 2 ** 20;

/** Below KV's maximum value size of 25 MiB. */
export const maxKvFileBytes = 24 * mebibyte;

/** The maximum file size that can be stored, in bytes; with a bucket, that of uploads. */
export function maxOutputBytes({ OUTPUTS }: OutputEnv, maxFileBytes: number): number {
  return OUTPUTS ? maxFileBytes : Math.min(maxFileBytes, maxKvFileBytes);
}

const prefix = 'output:';

function nameOf({ name }: Place, part: OutputPart): string {
  return `${prefix}${name}:${part}`;
}

/** The stored data of a part, and its expiry in milliseconds since 1970. */
interface PartData {
  readonly bytes: Uint8Array;
  readonly head: Head;
  readonly expiresAt: number;
}

/**
 * Stores a part of an output, sealed.
 * @throws Error if the store fails; the bytes are no longer read then
 */
export async function keepOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
  { bytes, head, expiresAt }: PartData,
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(sealedLength(bytes.length));
  const name = nameOf(output, part);
  // KV requires an expiration at least a minute ahead.
  const expiration = Math.floor(Math.max(expiresAt, Date.now() + 62_000) / 1000);
  const stored = OUTPUTS ? OUTPUTS.put(name, readable) : KV.put(name, readable, { expiration });
  const written = write(sealFile(bytes, head, { key: output.key, kind: part }), writable);
  const ends = await Promise.allSettled([stored, written]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Bytes per write: the runtime keeps a copy of them until they have left. */
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

/** Opens a part of an output; null if it does not exist, or is not visible at this location yet. */
export async function openOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
): Promise<OpenedFile | null> {
  const name = nameOf(output, part);
  const stream = OUTPUTS ? (await OUTPUTS.get(name))?.body : await KV.get(name, 'stream');
  return stream ? openSealedFile(stream, { key: output.key, kind: part }) : null;
}

/** Deletes a part of an output that has no result. */
export async function dropOutput(
  { KV, OUTPUTS }: OutputEnv,
  output: Place,
  part: OutputPart,
): Promise<void> {
  await (OUTPUTS ?? KV).delete(nameOf(output, part));
}

/** Maximum number of objects per deletion. */
const pageSize = 1000;

/**
 * Deletes expired objects from the bucket; in KV they expire automatically.
 * @param since milliseconds since 1970: objects stored before that have expired
 */
export async function clearOutputs({ OUTPUTS }: OutputEnv, since: number): Promise<void> {
  if (!OUTPUTS) return;
  for (let cursor: string | undefined; ; ) {
    const page = await OUTPUTS.list({ prefix, limit: pageSize, ...(cursor && { cursor }) });
    const isExpired = ({ uploaded }: R2Listed) => uploaded.getTime() < since;
    const expired = page.objects.filter(isExpired).map(({ key }) => key);
    if (expired.length > 0) await OUTPUTS.delete(expired);
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}
