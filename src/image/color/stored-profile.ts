import { inflateSync } from 'node:zlib';
import { joinBytes, startsWith } from '../container/assemble.ts';
import type { Inspection } from '../formats/format.ts';
import { unpackedBytes } from '../formats/png/kernel.ts';

/** The largest profiles in use, of printing presses, have about 3 MiB. */
export const maximumProfileBytes = 4 * 1024 * 1024;

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
  const profile = unpacked(image, stored(image, file));
  return profile && isProfile(profile) ? profile : null;
}

/**
 * The same, and whether there is one that is larger than any real one. To know that, it may inflate
 * in the arena, so nothing may lie there.
 */
export function readProfile(image: Inspection, file: Uint8Array): Uint8Array | 'too-large' | null {
  const pieces = stored(image, file);
  const profile = unpacked(image, pieces);
  if (profile) return isProfile(profile) ? profile : null;
  return profileBytes(image, pieces) > maximumProfileBytes ? 'too-large' : null;
}

function stored({ icc }: Inspection, file: Uint8Array): readonly Uint8Array[] {
  return icc.map(({ offset, length }) => file.subarray(offset, offset + length));
}

/** Null when there is none, it is corrupt, or larger than any real one. */
function unpacked({ type }: Inspection, pieces: readonly Uint8Array[]): Uint8Array | null {
  const [first] = pieces;
  if (!first || length(pieces) > maximumProfileBytes) return null;
  if (type !== 'png') return joinBytes(...pieces);
  try {
    return inflateSync(first, { maxOutputLength: maximumProfileBytes });
  } catch {
    return null;
  }
}

/** Bytes of a profile, unpacked as far as it takes to see that it is larger than any real one. */
function profileBytes({ type }: Inspection, pieces: readonly Uint8Array[]): number {
  const [first] = pieces;
  const bytes = length(pieces);
  if (type !== 'png' || !first || bytes > maximumProfileBytes) return bytes;
  return unpackedBytes(first, maximumProfileBytes + 1);
}

function length(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function isProfile(bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes) return false;
  return startsWith(bytes.subarray(signatureOffset), 'acsp');
}
