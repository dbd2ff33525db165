import { inflateSync } from 'node:zlib';
import type { Inspection } from '../inspect/inspection.ts';
import { unpackedBytes } from '../png/unpacked-bytes.ts';
import { joinBytes, startsWith } from './byte-strings.ts';

/** The largest profiles in use, of printing presses, have about 3 MiB. */
const maximumProfileBytes = 4 * 1024 * 1024;

const headerBytes = 128;
const signatureOffset = 36;

/**
 * The ICC profile of a file, inflated and joined, or null when it has none that can be used.
 * `image` is what `inspect` says of `file`: which chunks count is decided there (of a JPEG, complete
 * numbered ICC_PROFILE chunks only).
 *
 * It is a copy, and stays when the file goes.
 *
 * What does not bear the signature of a profile is none, as for every colour engine, and neither is
 * a PNG stream that is corrupt. Neither is one of more than 4 MiB.
 * Sources: ICC.1:2022 §7.2 and annex B, PNG third edition §11.3.2.3.
 */
export function iccProfile(image: Inspection, file: Uint8Array): Uint8Array | null {
  const read = readProfile(image, file);
  return read === 'too-large' ? null : read;
}

/** The same, and whether there is one that is larger than any real one. */
export function readProfile(image: Inspection, file: Uint8Array): Uint8Array | 'too-large' | null {
  const pieces = image.icc.map(({ offset, length }) => file.subarray(offset, offset + length));
  const [first] = pieces;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (!first) return null;
  if (length > maximumProfileBytes) return 'too-large';
  const profile = image.type === 'png' ? inflated(first) : joinBytes(...pieces);
  return typeof profile !== 'string' && profile !== null && !isProfile(profile) ? null : profile;
}

function inflated(stream: Uint8Array): Uint8Array | 'too-large' | null {
  try {
    return inflateSync(stream, { maxOutputLength: maximumProfileBytes });
  } catch {
    const bytes = unpackedBytes(stream, maximumProfileBytes);
    return bytes > maximumProfileBytes ? 'too-large' : null;
  }
}

function isProfile(bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes) return false;
  return startsWith(bytes.subarray(signatureOffset), 'acsp');
}
