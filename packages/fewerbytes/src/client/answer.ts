import { OptimizeError } from '../errors.ts';
import { expectedType } from '../files/destination.ts';
import { imageTypeOf, isMediaType, type MediaType } from '../images.ts';
import { damageIn, type Sent } from '../verify/damage.ts';

/** A successful response of the service, or what the engine has made on this machine. */
export interface Answer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the result. */
  readonly type: MediaType;
  /** Media type of the original. */
  readonly inputType: string;
  readonly width: number;
  readonly height: number;
  /** The encoder's quality setting: a number, `lossless` or `original`. */
  readonly quality: string;
  /** SSIMULACRA2 score; null if it was not measured. */
  readonly score: number | null;
  /** The ThumbHash of the result in base64; null if there is none. */
  readonly placeholder: string | null;
  /** Why there is no gain; null if there is one. */
  readonly reason: string | null;
  /** Files left on the account; null if the service does not say, or was not asked. */
  readonly quotaRemaining: number | null;
  readonly requestId: string | null;
}

/** Maximum length of a text that a service sends: longer ones are none of its own, and would fill the screen. */
export const maxTextLength = 2000;

/** What a 200 response is. */
export type Read<Kind> =
  | { readonly kind: 'answer'; readonly answer: Kind }
  /** It is not an answer of the service to this request. */
  | { readonly kind: 'failed'; readonly error: OptimizeError }
  /** Another try may bring it whole. */
  | { readonly kind: 'damaged'; readonly error: OptimizeError };

/**
 * Reads a 200 response. It is trusted only if it is about the image that was sent, has the type that was asked for, and
 * is whole: it may replace the only copy of an image.
 * @throws OptimizeError if the engine fails that verifies it; the reason of the signal if that is aborted
 */
export async function readAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
  sent: Sent,
  signal?: AbortSignal,
): Promise<Read<Answer>> {
  const type = headers.get('Content-Type') ?? '';
  const inputType = imageTypeOf(sent.bytes);
  const expected = inputType && expectedType(sent.options.format, inputType);
  const [length, width, height] = ['Image-Output-Bytes', 'Image-Width', 'Image-Height'].map(
    (name) => countIn(headers, name) ?? -1,
  ) as [number, number, number];
  const isOfService =
    isMediaType(type) &&
    headers.get('Image-Input-Type') === inputType &&
    type === (expected ?? type) &&
    Math.min(length, width, height) >= 0;
  if (!isOfService || inputType === null) {
    return { kind: 'failed', error: new OptimizeError('unexpected_answer') };
  }
  const damage =
    cutIn(bytes, headers) ??
    // an image that comes back unchanged may be odd from the start
    (Buffer.from(bytes).equals(sent.bytes)
      ? null
      : await damageIn(bytes, { type, width, height }, sent, signal));
  if (damage !== null) {
    const detail = `The result is not used, since ${damage}: run this again.`;
    const error = new OptimizeError('unexpected_answer', { detail, stop: null });
    return { kind: 'damaged', error };
  }
  const answer: Answer = {
    bytes,
    type,
    inputType,
    width,
    height,
    quality: headers.get('Image-Quality') ?? '',
    score: scoreIn(headers),
    placeholder: headers.get('Image-Placeholder'),
    reason: headers.get('Image-Reason'),
    quotaRemaining: countIn(headers, 'Quota-Remaining'),
    requestId: headers.get('Request-Id'),
  };
  return { kind: 'answer', answer };
}

/** That a result has not arrived as long as it was sent, as an end of a sentence; null if it has. */
function cutIn(bytes: Uint8Array, headers: Headers): string | null {
  const lengths = [countIn(headers, 'Image-Output-Bytes')];
  // that of a compressed response is the number of compressed bytes
  if (!headers.has('Content-Encoding') && headers.has('Content-Length')) {
    lengths.push(countIn(headers, 'Content-Length'));
  }
  return lengths.some((length) => length !== bytes.length) ? 'it has arrived incomplete' : null;
}

/** The whole number in a header; null if there is none. */
export function countIn(headers: Headers, name: string): number | null {
  const text = headers.get(name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The score of a result, which can be negative; null if there is none. */
function scoreIn(headers: Headers): number | null {
  const text = headers.get('Image-Score') ?? '';
  return /^-?\d{1,4}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}
