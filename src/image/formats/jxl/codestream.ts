import { profileSpace } from '../../color/icc-reader.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import type { FrameShape } from '../jpeg/kernel.ts';
import type { Sampling } from '../jpeg/sampling.ts';
import { type BitSink, putU32, putU64 } from './bits.ts';

/** The content of the codestream headers, apart from the ICC profile. */
export interface CodestreamHead extends FrameShape {
  /** The rotation that makes it upright, which decoders apply. */
  readonly orientation: Orientation;
  /** Null for sRGB. */
  readonly icc: Uint8Array | null;
  /** Quantization steps of each component. */
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

/** Writes the signature, the size and the image metadata (§D.2, §D.3); the ICC profile follows. */
export function putImageHeader(sink: BitSink, head: CodestreamHead): void {
  const { width, height, orientation, quantization } = head;
  sink.put(0x0aff, 16);
  sink.put(0, 1);
  putU32(sink, height, size);
  sink.put(0, 3);
  putU32(sink, width, size);
  // Not all default.
  sink.put(0, 1);
  const hasExtra = orientation !== 1;
  sink.put(hasExtra ? 1 : 0, 1);
  if (hasExtra) {
    sink.put(orientation - 1, 3);
    // No intrinsic size, no preview, no animation.
    sink.put(0, 3);
  }
  // 8-bit integer samples.
  sink.put(0, 3);
  // Whether signed 16-bit buffers suffice for modular images: low frequencies do, and most steps.
  const fitShort = quantization.every((steps) => steps.every((step) => step < 1 << 15));
  sink.put(fitShort ? 1 : 0, 1);
  // No extra channels.
  sink.put(0, 2);
  // Not XYB encoded.
  sink.put(0, 1);
  putColor(sink, head);
  // Default tone mapping.
  if (hasExtra) sink.put(1, 1);
  putU64(sink, 0);
  // Default transforms.
  sink.put(1, 1);
}

/** Writes the color encoding (§E.2). */
function putColor(sink: BitSink, { icc, sampling }: CodestreamHead): void {
  const isGrey = icc ? profileSpace(icc) === 'grey' : sampling.length === 1;
  // The default is sRGB.
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

/** Flag: skip adaptive smoothing of low frequencies. */
const skipSmoothing = 128;

/** Writes the header of a YCbCr frame with 8 × 8 transforms and no filters (§F.2). */
export function putFrameHeader(sink: BitSink, { sampling }: FrameShape): void {
  sink.put(0, 1);
  sink.put(0, 2);
  sink.put(0, 1);
  putU64(sink, skipSmoothing);
  sink.put(1, 1);
  const [luma, cb = luma, cr = luma] = sampling;
  for (const component of [cb, luma, cr]) sink.put(samplingCode(component), 2);
  // No upsampling, passes, crop or blending.
  sink.put(0, 7);
  // Last frame, without a name.
  sink.put(1, 1);
  sink.put(0, 2);
  // No filters, no extensions.
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

/** Writes the lengths of the sections in bytes, which are in natural order (§F.3). */
export function putTableOfContents(
  sink: BitSink & { pad(): void },
  sections: readonly number[],
): void {
  sink.put(0, 1);
  sink.pad();
  for (const length of sections) putU32(sink, length, sectionSize);
  sink.pad();
}
