import { ApiError } from '../../errors.ts';
import { endedEarly, sipsOf } from '../bodies/patient-reader.ts';
import { HeldBytes } from './held-bytes.ts';

/**
 * Reads a body that is nothing but an image. Memory is asked for before its
 * first byte is read.
 * @param length how many bytes are to come, when that is known
 * @param owner whose request it is; the bodies of one owner share what one may hold
 * @throws ApiError `invalid_request` when it is empty or ends early, `request_timeout`, `body_too_large`, `overloaded`
 */
export async function readRaw(
  body: ReadableStream<Uint8Array>,
  length: number | null,
  owner: string,
): Promise<HeldBytes> {
  const held = await HeldBytes.admit(owner, length);
  try {
    for await (const sip of sipsOf(body, held.sipSize, held.watch)) held.append(sip);
    if (length !== null && held.length < length) throw endedEarly();
    held.complete();
    if (held.length === 0) throw noImage();
    return held;
  } catch (error) {
    held.end();
    throw error;
  }
}

export function noImage(): ApiError {
  return new ApiError('invalid_request', 'Send the bytes of one image as the body.');
}
