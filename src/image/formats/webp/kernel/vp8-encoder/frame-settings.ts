/**
 * Settings in the frame header (RFC 6386 §9). They may be set at any time before the first partition is written.
 */
import { segmentCount } from '../vp8/segments';

/** Quantizer index and filter level of each segment, one byte each. */
const quantizers: usize = memory.data(segmentCount);
const levels: usize = memory.data(segmentCount);

/** Deltas of the quantizer index for luma DC, second-order DC and AC, chroma DC and AC, i8 each. */
export const deltaCount: i32 = 5;
export const quantizerDeltas: usize = memory.data(deltaCount);

/** Frame size in pixels. */
export let frameWidth: i32 = 0;
export let frameHeight: i32 = 0;
export let isSimpleFilter: bool = false;
export let filterSharpness: i32 = 0;

/** Sets the size of the frame in pixels, 1 to 16383. */
export function setFrameSize(width: i32, height: i32): void {
  frameWidth = width;
  frameHeight = height;
}

/** Sets the quantizer index of a segment, 0 to 127, and its filter level, 0 (none) to 63. */
export function setFrameSegment(i: i32, quantizer: i32, level: i32): void {
  store<u8>(quantizers + i, <u8>quantizer);
  store<u8>(levels + i, <u8>level);
}

/** Sets the deltas of the quantizer index for other kinds of coefficients, −15 to 15. */
export function setFrameDeltas(
  lumaDc: i32,
  secondDc: i32,
  secondAc: i32,
  chromaDc: i32,
  chromaAc: i32,
): void {
  store<i8>(quantizerDeltas, <i8>lumaDc, 0);
  store<i8>(quantizerDeltas, <i8>secondDc, 1);
  store<i8>(quantizerDeltas, <i8>secondAc, 2);
  store<i8>(quantizerDeltas, <i8>chromaDc, 3);
  store<i8>(quantizerDeltas, <i8>chromaAc, 4);
}

/** Sets the type of the loop filter, and its sharpness, 0 to 7. */
export function setFrameFilter(isSimple: bool, sharpness: i32): void {
  isSimpleFilter = isSimple;
  filterSharpness = sharpness;
}

/** The quantizer index of a segment. */
export function quantizerOf(segment: i32): i32 {
  return load<u8>(quantizers + segment);
}

/** The filter level of a segment. */
export function levelOf(segment: i32): i32 {
  return load<u8>(levels + segment);
}

/** The highest filter level of all segments. */
export function highestLevel(): i32 {
  let highest = 0;
  for (let i = 0; i < segmentCount; i += 1) highest = max(highest, levelOf(i));
  return highest;
}
