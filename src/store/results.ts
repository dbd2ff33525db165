import { z } from 'zod';
import type { Platform, R2Bucket, R2Listed, R2Object, R2PutOptions } from '../platform.ts';
import { logFault } from '../telemetry/log.ts';

// Images by URL, made and kept in a bucket: under `<site>/<hash of path and query>/<hash of options and accept>`, so that
// what is kept of a site, or of one image, has a prefix of its own.

/** Where results are kept; without a bucket, nowhere. */
export type ResultsEnv = Pick<Platform, 'RESULTS'>;

/** The purge numbers of a site and of an image; results of lower ones are not served. */
export interface PurgeNumbers {
  readonly site: number;
  readonly path: number;
}

/** What is stored beside the bytes of a result. */
export interface ResultHead {
  readonly purges: PurgeNumbers;
  /** When the source was last known to be unchanged, in milliseconds since 1970. */
  readonly checkedAt: number;
  readonly madeAt: number;
  /** What the source said of its version (RFC 9110 §8.8); null if it did not. */
  readonly sourceEtag: string | null;
  readonly sourceModified: string | null;
  /** Strong, in quotes. */
  readonly etag: string;
  /** Predicted CPU time of making it, in milliseconds. */
  readonly cpuMs: number;
  /** `Content-Type` and the `Image-*` headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A kept result, whose body has to be sent or cancelled. */
export interface KeptResult {
  readonly head: ResultHead;
  readonly length: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly writtenAt: number;
  readonly body: ReadableStream;
}

const storedHead = z.object({
  purges: z.object({ site: z.number(), path: z.number() }),
  checkedAt: z.number(),
  madeAt: z.number(),
  sourceEtag: z.string().nullable(),
  sourceModified: z.string().nullable(),
  etag: z.string(),
  cpuMs: z.number(),
  headers: z.record(z.string(), z.string()),
});

/**
 * Finds a kept result that has not been purged; null if there is none, or if the bucket fails: results can be made without
 * it, too.
 * @param purges as far as this isolate knows: others may have made results after a later purge
 */
export async function findResult(
  { RESULTS }: ResultsEnv,
  key: string,
  purges: PurgeNumbers,
): Promise<KeptResult | null> {
  const object = await RESULTS?.get(key).catch((error: unknown) => {
    logFault('result_not_found', { error: String(error) });
    return null;
  });
  if (!object) return null;
  const head = headOf(object);
  const isCurrent = head && head.purges.site >= purges.site && head.purges.path >= purges.path;
  if (!isCurrent) {
    await object.body.cancel().catch(() => {});
    return null;
  }
  return { head, length: object.size, writtenAt: object.uploaded.getTime(), body: object.body };
}

/** Null for an object that another version of this service wrote in a form of its own. */
function headOf({ customMetadata }: R2Object): ResultHead | null {
  try {
    return storedHead.parse(JSON.parse(customMetadata?.head ?? ''));
  } catch {
    return null;
  }
}

/** Bytes per write: the runtime keeps a copy of them until they have left. */
const stepBytes = 64 * 1024;

/**
 * Keeps a result.
 * @param bytes have to stay until this settles
 * @throws Error if the bucket fails
 */
export async function keepResult(
  bucket: R2Bucket,
  key: string,
  head: ResultHead,
  bytes: Uint8Array,
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const stored = bucket.put(key, readable, metadataOf(head));
  const ends = await Promise.allSettled([stored, write(bytes, writable.getWriter())]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function write(bytes: Uint8Array, writer: WritableStreamDefaultWriter): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; at += stepBytes) {
      await writer.write(bytes.subarray(at, at + stepBytes));
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

function metadataOf(head: ResultHead): R2PutOptions {
  return { customMetadata: { head: JSON.stringify(head) } };
}

/**
 * Writes a kept result again: with other facts beside it, or only so that it counts as asked for. One that another request
 * has replaced or deleted meanwhile stays so.
 * @param changes facts that have changed
 */
export async function rewriteResult(
  { RESULTS }: ResultsEnv,
  key: string,
  changes: Partial<Pick<ResultHead, 'checkedAt' | 'sourceEtag' | 'sourceModified'>>,
): Promise<void> {
  const object = await RESULTS?.get(key);
  const head = object && headOf(object);
  if (!head) {
    await object?.body.cancel();
    return;
  }
  const onlyIf = { etagMatches: object.etag };
  await RESULTS?.put(key, object.body, { ...metadataOf({ ...head, ...changes }), onlyIf });
}

/** Deletes a result; if that fails, it is deleted when nobody has asked for it for a month. Never rejects. */
export async function deleteResult({ RESULTS }: ResultsEnv, key: string): Promise<void> {
  await RESULTS?.delete(key).catch((error: unknown) => {
    logFault('result_not_deleted', { error: String(error) });
  });
}

/** Objects per list and deletion. */
const pageSize = 1000;

/** Ids of sites end in hexadecimal digits: each hour, those with another first digit are looked at. */
const shards = 16;

/** Thousands of objects that are looked at in an hour. */
const maxPagesPerHour = 2000;

/**
 * Deletes results that have not been written lately, of a sixteenth of all sites.
 * @param since milliseconds since 1970: results written before that are not asked for
 */
export async function clearResults(
  { RESULTS }: ResultsEnv,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<void> {
  if (!RESULTS) return;
  const hour = Math.floor(now / (60 * 60 * 1000));
  const prefix = `site_${(hour % shards).toString(shards)}`;
  for (let pages = 0, cursor: string | undefined; pages < maxPagesPerHour; pages += 1) {
    const page = await RESULTS.list({ prefix, limit: pageSize, ...(cursor && { cursor }) });
    const isUnread = ({ uploaded }: R2Listed) => uploaded.getTime() < since;
    const unread = page.objects.filter(isUnread).map(({ key }) => key);
    if (unread.length > 0) await RESULTS.delete(unread);
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}
