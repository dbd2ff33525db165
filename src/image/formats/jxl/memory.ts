import type { PictureShape } from '../../pixels/raster.ts';
import type { Quality } from '../inspection.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import { codedFrame, setFrameGeometry } from '../jpeg/kernel.ts';
import {
  allocateCoding,
  countedBytes,
  countedReading,
  type EncodingBytes,
  expectedHighBytes,
  jpegEncodingBytes,
  tokensPerFileByte,
  withinCeiling,
} from '../jpeg/memory.ts';
import {
  halvedSampling,
  type JpegSettings,
  pixelSamplings,
  type Sampling,
  samplingOf,
} from '../jpeg/sampling.ts';
import {
  allocateStages,
  countingJxlKernel,
  expectRoom,
  type JxlKernel,
  kernelConstants,
} from './kernel.ts';

/** What a picture takes that is next to nothing. */
const leastBytes = 16_384;

/** Upper bound of what becomes of a JPEG of so many bytes, metadata and profile left aside. */
export function maxJxlBytes(fileBytes: number): number {
  return leastBytes + fileBytes;
}

/**
 * The arena that a JPEG takes on its way to JPEG XL, in bytes, the result included. As with recoding, it may be less than
 * what is kept of a sequential picture, but never less than coding it without keeping that.
 *
 * @param quality of the result; where it fails, the picture is coded without loss, which takes less
 * @param profileBytes of an ICC profile
 */
export function jxlTranscodingBytes(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
  profileBytes: number,
): number {
  const isLossy = quality !== 'lossless';
  const samplings = [isLossy ? halvedSampling(image, quality) : null, samplingOf(image)];
  const each = samplings.flatMap((sampling) =>
    sampling ? [candidateBytes(image, fileBytes, sampling, isLossy, profileBytes)] : [],
  );
  return Math.max(...each);
}

function candidateBytes(
  image: JpegInspection,
  fileBytes: number,
  sampling: readonly Sampling[],
  isLossy: boolean,
  profileBytes: number,
): number {
  const kernel = countedReading(countingJxlKernel(), image);
  setFrameGeometry(kernel, codedFrame, { ...image, sampling });
  allocateCoding(kernel, isLossy);
  allocateStages(kernel, profileBytes);
  const isProgressive = image.process === 'progressive';
  expectRoom(isProgressive ? kernel.beginPlaneTokens() : kernel.beginRowTokens());
  const tokens = kernel.minTokenBytes() + tokensPerFileByte * fileBytes;
  const least = countedBytes(kernel) + maxJxlBytes(fileBytes) + profileBytes;
  const row = kernel.maxRowTokenBytes();
  const groupRow = Math.min(1, groupRowShare / kernel.groupsDown()) * tokens;
  const streamed = least + row + groupRow;
  const kept = isProgressive
    ? streamed + expectedHighBytes(kernel, image, fileBytes)
    : Math.max(streamed, least + row + tokens);
  return withinCeiling(streamed, kept);
}

/** A row of groups may have so many times as many tokens as the others. */
const groupRowShare = 4;

/** What coding pixels as JPEG XL takes: what it takes as a JPEG, and the stages that code it otherwise. */
export function jxlEncodingBytes(
  shape: Pick<PictureShape, 'width' | 'height'>,
  settings: JpegSettings,
  profileBytes: number,
): EncodingBytes {
  const asJpeg = jpegEncodingBytes(shape, settings);
  const more = Math.max(
    ...pixelSamplings(settings).map((sampling) => {
      const kernel = countingJxlKernel();
      setFrameGeometry(kernel, codedFrame, { ...shape, sampling });
      allocateStages(kernel, profileBytes);
      return countedBytes(kernel) + groupRowBytes(kernel) + leastBytes + profileBytes;
    }),
  );
  return { ...asJpeg, expected: asJpeg.expected + more, max: asJpeg.max + more };
}

/** What the tokens of a row of groups take of a busy picture: a third of what noise takes. */
function groupRowBytes(kernel: JxlKernel): number {
  const isThere = kernel.blocksAcross(codedFrame, 1) > 0;
  return (kernelConstants.groupSide * kernel.maxRowTokenBytes() * (isThere ? 3 : 1)) / 3;
}
