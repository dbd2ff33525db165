import { joinBytes, startsWith } from '../container/assemble.ts';
import type { ByteRange } from '../container/byte-cursor.ts';

/** The largest profiles in use, of printing presses, have about 3 MiB. */
export const maximumProfileBytes = 4 * 1024 * 1024;

/** A profile, none that can be used, or one that is larger than any real one. */
export type StoredProfile = Uint8Array | 'too-large' | null;

const headerBytes = 128;
const signatureOffset = 36;

/**
 * The ICC profile that lies in these parts of a file, or null when it has none that can be used. It is a
 * copy, and stays when the file goes.
 */
export function storedProfile(file: Uint8Array, ranges: readonly ByteRange[]): StoredProfile {
  if (ranges.length === 0) return null;
  const bytes = ranges.reduce((sum, { length }) => sum + length, 0);
  if (bytes > maximumProfileBytes) return 'too-large';
  const pieces = ranges.map(({ offset, length }) => file.subarray(offset, offset + length));
  return usableProfile(joinBytes(...pieces));
}

/**
 * What does not bear the signature of a profile is none, as for every colour engine.
 * Source: ICC.1:2022 §7.2.
 */
export function usableProfile(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length < headerBytes) return null;
  return startsWith(bytes.subarray(signatureOffset), 'acsp') ? bytes : null;
}
