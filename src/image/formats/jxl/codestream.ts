import { profileSpace } from '../../color/icc-reader.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import type { FrameShape } from '../jpeg/kernel.ts';
import type { Sampling } from '../jpeg/sampling.ts';
import { type BitSink, putU32, putU64 } from './bits.ts';

/** What stands before the coded picture, beside its ICC profile. */
export interface CodestreamHead extends FrameShape {
  /** The turn that shows it upright; decoders make it. */
  readonly orientation: Orientation;
  /** Null: sRGB. */
  readonly icc: Uint8Array | null;
  /** Steps of each component. */
  readonly quantization: readonly Uint16Array[];
}

const size = [
  [9, 1],
  [13, 1],
  [18, 1],
  [30, 1],
] as const;

const enumeration = [
  [0, 0],
  [0, 1],
  [4, 2],
  [6, 18],
] as const;

/** Values of enumerations (ISO/IEC 18181-1 §E.2). */
const colorSpace = { rgb: 0, grey: 1 } as const;
const d65 = 1;
const srgbTransfer = 13;
const relativeIntent = 1;

/** The signature, the size and what the samples mean (§D.2, §D.3); the ICC profile comes next. */
export function putImageHeader(sink: BitSink, head: CodestreamHead): void {
  const { width, height, orientation, quantization } = head;
  sink.put(0x0aff, 16);
  sink.put(0, 1);
  putU32(sink, height, size);
  sink.put(0, 3);
  putU32(sink, width, size);
  // not all is as it is by default
  sink.put(0, 1);
  const hasExtra = orientation !== 1;
  sink.put(hasExtra ? 1 : 0, 1);
  if (hasExtra) {
    sink.put(orientation - 1, 3);
    // neither an intrinsic size, nor a preview, nor an animation
    sink.put(0, 3);
  }
  // integers of 8 bits
  sink.put(0, 3);
  // whether 16 bits with a sign hold all that is coded as images: low frequencies do, and most steps
  const fitShort = quantization.every((steps) => steps.every((step) => step < 1 << 15));
  sink.put(fitShort ? 1 : 0, 1);
  // no other channels
  sink.put(0, 2);
  // not XYB
  sink.put(0, 1);
  putColor(sink, head);
  // tone mapping as it is by default
  if (hasExtra) sink.put(1, 1);
  putU64(sink, 0);
  // transforms as they are by default
  sink.put(1, 1);
}

/** What colors mean (§E.2). */
function putColor(sink: BitSink, { icc, sampling }: CodestreamHead): void {
  const isGrey = icc ? profileSpace(icc) === 'grey' : sampling.length === 1;
  // by default sRGB
  sink.put(!icc && !isGrey ? 1 : 0, 1);
  if (!icc && !isGrey) return;
  sink.put(icc ? 1 : 0, 1);
  putU32(sink, isGrey ? colorSpace.grey : colorSpace.rgb, enumeration);
  if (icc) return;
  putU32(sink, d65, enumeration);
  sink.put(0, 1);
  putU32(sink, srgbTransfer, enumeration);
  putU32(sink, relativeIntent, enumeration);
}

/** Low frequencies are shown as they are coded. */
const skipSmoothing = 128;

/** One frame of YCbCr in transforms of 8 × 8, without filters (§F.2). */
export function putFrameHeader(sink: BitSink, { sampling }: FrameShape): void {
  sink.put(0, 1);
  sink.put(0, 2);
  sink.put(0, 1);
  putU64(sink, skipSmoothing);
  sink.put(1, 1);
  const [luma, cb = luma, cr = luma] = sampling;
  for (const component of [cb, luma, cr]) sink.put(samplingCode(component), 2);
  // neither upsampling, nor passes, nor a crop, nor blending
  sink.put(0, 7);
  // it is the last, and has no name
  sink.put(1, 1);
  sink.put(0, 2);
  // no filters, no extensions
  sink.put(0, 8);
}

function samplingCode({ horizontal, vertical }: Sampling = { horizontal: 1, vertical: 1 }): number {
  if (horizontal === 1) return vertical === 1 ? 0 : 3;
  return vertical === 1 ? 2 : 1;
}

const sectionSize = [
  [10, 0],
  [14, 1024],
  [22, 17_408],
  [30, 4_211_712],
] as const;

/** How long the sections are, in bytes; they stand in their own order (§F.3). */
export function putTableOfContents(
  sink: BitSink & { pad(): void },
  sections: readonly number[],
): void {
  sink.put(0, 1);
  sink.pad();
  for (const length of sections) putU32(sink, length, sectionSize);
  sink.pad();
}
