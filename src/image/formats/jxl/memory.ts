import { arenaCeiling } from '../../wasm/memory-ledger.ts';
import type { Quality } from '../inspection.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';

/** Sections of a picture that takes next to nothing. */
const leastBytes = 65_536;

/** Upper bound of what becomes of a file, in bytes. */
export function maxJxlBytes(fileBytes: number): number {
  return leastBytes + Math.ceil(1.25 * fileBytes);
}

export function jxlTranscodingBytes(
  _image: JpegInspection,
  _fileBytes: number,
  _quality: Quality,
  _profileBytes: number,
): number {
  return arenaCeiling;
}
