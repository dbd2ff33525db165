/**
 * Quantization steps (RFC 6386 §9.6, §14.1): each segment has an index of 0 to 127 for luma AC coefficients; other
 * kinds have indices relative to it.
 */
import { readNumber, readOptional } from './bool-decoder';
import { hasSegments, segmentCount, segmentQuantizer } from './segments';

/** Steps of DC coefficients by index. */
export const dcSteps: usize = memory.data<u8>([
  4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20, 20, 21, 21, 22, 22, 23, 23,
  24, 25, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 37, 38, 39, 40, 41, 42, 43, 44, 45,
  46, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68,
  69, 70, 71, 72, 73, 74, 75, 76, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 93,
  95, 96, 98, 100, 101, 102, 104, 106, 108, 110, 112, 114, 116, 118, 122, 124, 126, 128, 130, 132,
  134, 136, 138, 140, 143, 145, 148, 151, 154, 157,
]);

/** Steps of AC coefficients by index. */
export const acSteps: usize = memory.data<u16>([
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
  54, 55, 56, 57, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96,
  98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146,
  149, 152, 155, 158, 161, 164, 167, 170, 173, 177, 181, 185, 189, 193, 197, 201, 205, 209, 213,
  217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269, 274, 279, 284,
]);

/** The six steps of each segment, i32 each. */
const steps: usize = memory.data(segmentCount * 32, 4);

/* Offsets of the steps of a kind: the step for DC, followed by that for AC. */
export const lumaSteps: usize = 0;
export const secondOrderSteps: usize = 8;
export const chromaSteps: usize = 16;

/** Last index for the DC step of chroma, which is limited to 132. */
const lastChromaDc: i32 = 117;

/** The steps of a segment. */
export function stepsOf(segment: i32): usize {
  return steps + ((<usize>segment) << 5);
}

/** Reads the indices from the frame header, and looks up the steps of all segments. */
export function readQuantizers(): void {
  const base = readNumber(7);
  const lumaDc = readOptional(4);
  const secondDc = readOptional(4);
  const secondAc = readOptional(4);
  const chromaDc = readOptional(4);
  const chromaAc = readOptional(4);
  for (let i = 0; i < segmentCount; i += 1) {
    const index = hasSegments() ? segmentQuantizer(i, base) : base;
    const to = stepsOf(i);
    store<i32>(to, dcStep(index + lumaDc), lumaSteps);
    store<i32>(to, acStep(index), lumaSteps + 4);
    store<i32>(to, 2 * dcStep(index + secondDc), secondOrderSteps);
    store<i32>(to, secondOrderAcStep(index + secondAc), secondOrderSteps + 4);
    store<i32>(to, chromaDcStep(index + chromaDc), chromaSteps);
    store<i32>(to, acStep(index + chromaAc), chromaSteps + 4);
  }
}

/** The luma DC step; that of the second-order block is twice as large. Indices are clamped. */
export function dcStep(index: i32): i32 {
  return load<u8>(dcSteps + clamped(index));
}

/** The AC step of luma and chroma. */
export function acStep(index: i32): i32 {
  return load<u16>(acSteps + (clamped(index) << 1));
}

/** The AC step of the second-order block. */
export function secondOrderAcStep(index: i32): i32 {
  return max(8, (155 * acStep(index)) / 100);
}

/** The chroma DC step. */
export function chromaDcStep(index: i32): i32 {
  return dcStep(min(index, lastChromaDc));
}

function clamped(index: i32): i32 {
  return max(0, min(127, index));
}
