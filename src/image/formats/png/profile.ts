import { inflateSync } from 'node:zlib';
import {
  maximumProfileBytes,
  type StoredProfile,
  usableProfile,
} from '../../color/stored-profile.ts';
import type { ByteRange } from '../../container/byte-cursor.ts';
import { unpackedBytes } from './kernel.ts';

/**
 * The ICC profile of an `iCCP` chunk, inflated, or null when its stream is corrupt, inflates to more than
 * any real profile has, or is none. Source: PNG third edition §11.3.2.3.
 *
 * @param ranges the deflated stream; empty when there is none
 */
export function pngProfile(file: Uint8Array, ranges: readonly ByteRange[]): Uint8Array | null {
  const profile = inflated(streamIn(file, ranges));
  return profile && usableProfile(profile);
}

/** As `pngProfile`, and whether there is one that is too large: to know that, it may inflate in the arena. */
export function storedPngProfile(file: Uint8Array, ranges: readonly ByteRange[]): StoredProfile {
  const stream = streamIn(file, ranges);
  if (!stream) return null;
  const profile = inflated(stream);
  if (profile) return usableProfile(profile);
  const bytes =
    stream.length > maximumProfileBytes
      ? stream.length
      : unpackedBytes(stream, maximumProfileBytes + 1);
  return bytes > maximumProfileBytes ? 'too-large' : null;
}

function streamIn(file: Uint8Array, [range]: readonly ByteRange[]): Uint8Array | null {
  return range ? file.subarray(range.offset, range.offset + range.length) : null;
}

function inflated(stream: Uint8Array | null): Uint8Array | null {
  if (!stream || stream.length > maximumProfileBytes) return null;
  try {
    return inflateSync(stream, { maxOutputLength: maximumProfileBytes });
  } catch {
    return null;
  }
}
