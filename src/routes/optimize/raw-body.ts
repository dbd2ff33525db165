import { ApiError } from '../../errors.ts';
import { endedEarly, reusedChunksOf } from '../http/body-reader.ts';
import type { HeldBytes } from './held-body.ts';
import type { Job } from './job.ts';

interface RawBody {
  /** Announced length in bytes; null if unknown. */
  readonly length: number | null;
  readonly maxFileBytes: number;
  /** Creates the error for an empty body. */
  readonly empty?: () => ApiError;
}

/**
 * Reads a body that consists only of an image, as soon as there is memory for it.
 * @throws ApiError `invalid_request` if it is empty or ends early, `request_timeout`, `body_too_large`, `overloaded`
 */
export async function readRaw(
  body: ReadableStream<Uint8Array>,
  { length, maxFileBytes, empty = noImage }: RawBody,
  job: Job,
): Promise<HeldBytes> {
  const held = await job.admitted(length, maxFileBytes);
  try {
    for await (const chunk of reusedChunksOf(body, held.chunkBytes, held.watch)) held.append(chunk);
    if (length !== null && held.length < length) throw endedEarly();
    held.complete();
    if (held.length === 0) throw empty();
    return held;
  } catch (error) {
    held.end();
    throw error;
  }
}

export function noImage(): ApiError {
  return new ApiError('invalid_request', 'Send the bytes of one image as the body.');
}
