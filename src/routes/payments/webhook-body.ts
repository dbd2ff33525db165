import { Buffer } from 'node:buffer';
import { ApiError } from '../../errors.ts';
import { chunksOf } from '../bodies/patient-reader.ts';

/** Largest event, in bytes. */
const limit = 1024 * 1024;

/**
 * The bytes of a webhook delivery, as they were signed.
 * @param length as the request states it; null or not a number: unknown
 * @throws ApiError `body_too_large`, `request_timeout`, `invalid_request` when it ends early
 */
export async function readWebhookBody(
  body: ReadableStream<Uint8Array> | null,
  length: string | null,
): Promise<Uint8Array> {
  if (Number(length) > limit) throw eventTooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ? chunksOf(body) : []) {
    size += chunk.length;
    if (size > limit) throw eventTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function eventTooLarge(): ApiError {
  return new ApiError('body_too_large', 'Send an event of at most 1 MiB.', {
    members: { limit_bytes: limit },
  });
}
