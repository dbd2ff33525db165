import { inflateSync } from 'node:zlib';
import type { Inspection } from '../inspect/inspection.ts';
import { joinBytes, startsWith } from './byte-strings.ts';

/** The largest profiles in use, of printing presses, have about 3 MiB. */
const maximumInflatedBytes = 4 * 1024 * 1024;

const headerBytes = 128;
const signatureOffset = 36;

/**
 * The ICC profile of a file, inflated and joined, or null when it has none that can be used.
 * `image` is what `inspect` says of `file`: which chunks count is decided there (of a JPEG, complete
 * numbered ICC_PROFILE chunks only).
 *
 * What does not bear the signature of a profile is none, as for every colour engine, and neither is
 * a PNG stream that is corrupt or inflates to more than 4 MiB: decoders show such a picture without
 * it. Sources: ICC.1:2022 §7.2 and annex B, PNG third edition §11.3.2.3.
 */
export function iccProfile(image: Inspection, file: Uint8Array): Uint8Array | null {
  const [range, ...more] = image.icc;
  if (range === undefined) return null;
  const pieces = [range, ...more].map(({ offset, length }) =>
    file.subarray(offset, offset + length),
  );
  const [first = file.subarray(0, 0)] = pieces;
  const profile =
    image.type === 'png' ? inflated(first) : more.length === 0 ? first : joinBytes(...pieces);
  return profile !== null && isProfile(profile) ? profile : null;
}

function inflated(stream: Uint8Array): Uint8Array | null {
  try {
    return inflateSync(stream, { maxOutputLength: maximumInflatedBytes });
  } catch {
    return null;
  }
}

function isProfile(bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes) return false;
  return startsWith(bytes.subarray(signatureOffset), 'acsp');
}
