import { Buffer } from 'node:buffer';
import { ApiError } from '../../errors.ts';
import { chunksOf } from './patient-reader.ts';

/** Largest JSON body, in bytes. */
export const jsonLimit = 64 * 1024;

/**
 * The bytes of a JSON body: no further than the limit, no longer than patience lasts.
 * @param length as the request states it; null or not a number: unknown
 * @throws ApiError `body_too_large`, `request_timeout`
 */
export async function readJsonBytes(
  body: ReadableStream<Uint8Array>,
  length: string | null,
): Promise<Uint8Array> {
  if (Number(length) > jsonLimit) throw jsonTooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    size += chunk.length;
    if (size > jsonLimit) throw jsonTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws TypeError for what is not UTF-8 */
export function jsonText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
}

export function jsonTooLarge(): ApiError {
  return new ApiError('body_too_large', `Send a JSON body of at most ${jsonLimit / 1024} KiB.`, {
    members: { limit_bytes: jsonLimit },
  });
}
