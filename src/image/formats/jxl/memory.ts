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

/** Maximum size of the result for a tiny picture. */
const minBytes = 16_384;

/** Upper bound for the JPEG XL of a JPEG of this size, without metadata and profile. */
export function maxJxlBytes(fileBytes: number): number {
  return minBytes + fileBytes;
}

/**
 * Bytes of the arena for transcoding a JPEG to JPEG XL, including the result. As in recoding, it may be less than a
 * sequential picture takes if its coefficients are kept, but never less than encoding it without keeping them.
 *
 * @param quality quality of the result; if that fails, the picture is encoded losslessly, which takes less
 * @param profileBytes size of the ICC profile
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

/** The factor by which a row of groups may have more tokens than the average. */
const groupRowShare = 4;

/** Memory for encoding pixels as JPEG XL: that of JPEG, and the additional stages. */
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
      return countedBytes(kernel) + groupRowBytes(kernel) + minBytes + profileBytes;
    }),
  );
  return { ...asJpeg, expected: asJpeg.expected + more, max: asJpeg.max + more };
}

/** Bytes of tokens for a row of groups in a detailed picture: a third of those of noise. */
function groupRowBytes(kernel: JxlKernel): number {
  const isThere = kernel.blocksAcross(codedFrame, 1) > 0;
  return (kernelConstants.groupSide * kernel.maxRowTokenBytes() * (isThere ? 3 : 1)) / 3;
}
