import { emptyCanvas, endCanvas } from '../../animation/composition.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { Canvas } from '../../animation/timeline.ts';
import type { Workspace } from '../../container/workspace.ts';
import type { Source } from '../../formats/inspection.ts';
import { measuredPixels } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type Region, type Size } from '../../pixels/raster.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { PixelSteps } from '../candidates.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { isPause, preparedSize, type Reading, shownPictures } from './pictures.ts';

/** Maximum number of sampled pictures, and of pixels in all of them. */
const maxSamples = 8;
const maxSamplePixels = 2 ** 20;

/** Bytes of all samples and of one encoded sample. */
export function sampleBytes(source: Source, steps: PixelSteps): number {
  const { count, pixels } = sampledPixels(source, steps);
  return bytesPerRasterPixel * (pixels + (2 * pixels) / count);
}

/** The number of samples, and of pixels in all of them, as encoded and as measured for their scores. */
export function sampledPixels(source: Source, steps: PixelSteps) {
  const size = sampleSize(preparedSize(source, steps));
  const count = Math.min(maxSamples, source.image.frames);
  const pixels = count * size.width * size.height;
  return { count, pixels, measuredPixels: count * measuredPixels(size) };
}

/**
 * Takes samples, which are parts of pictures spread over the animation, and returns the result of `use`.
 * @throws ReadingError if a frame up to the last sampled one is damaged, NoMemory if there is not enough memory
 */
export function* withSamples<Outcome>(
  candidate: AnimateCandidate,
  reading: Reading,
  use: (samples: readonly Canvas[]) => Slices<Outcome>,
): Slices<Outcome> {
  const samples: Canvas[] = [];
  try {
    yield* samplePictures(candidate, reading, samples);
    return yield* use(samples);
  } finally {
    for (const picture of samples) endCanvas(picture, reading.workspace);
  }
}

/** @param samples receives the samples */
function* samplePictures(
  candidate: AnimateCandidate,
  reading: Reading,
  samples: Canvas[],
): Slices<void> {
  const { source, workspace } = reading;
  const { pixels, isFirstOnly } = candidate;
  const { holdsPartialAlpha } = animationWriterOf(candidate);
  const frames = isFirstOnly ? 1 : source.image.frames;
  const count = Math.min(maxSamples, frames);
  const wanted = new Set(
    Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count)),
  );
  let index = 0;
  for (const shown of shownPictures(reading, pixels, holdsPartialAlpha)) {
    if (isPause(shown)) {
      yield shown;
      continue;
    }
    if (wanted.has(index)) samples.push(yield* partOf(shown.picture, workspace));
    index += 1;
    if (samples.length === count) break;
  }
}

/** The size of a sample; that of the picture if it is small. */
function sampleSize({ width, height }: Size): Size {
  const most = maxSamplePixels / maxSamples;
  if (width * height <= most) return { width, height };
  const side = Math.floor(Math.sqrt(most));
  const left = Math.min(width, Math.max(side, Math.floor(most / height)));
  return { width: left, height: Math.min(height, Math.floor(most / left)) };
}

/** Possible positions of a part, as fractions of the remaining space. */
const shares = [0, 0.25, 0.5, 0.75, 1] as const;

/** The part of a picture whose amount of detail is closest to that of the whole. */
function* partOf(picture: Canvas, workspace: Workspace): Slices<Canvas> {
  const size = sampleSize(picture);
  const { left, top } = isWhole(picture, size) ? wholeOf(size) : yield* typicalPlace(picture, size);
  const part = emptyCanvas(size, workspace);
  for (let row = 0; row < size.height; row += 1) {
    const from = (top + row) * picture.width + left;
    part.pixels.set(picture.pixels.subarray(from, from + size.width), row * size.width);
  }
  return part;
}

function* typicalPlace(picture: Canvas, size: Size): Slices<Region> {
  const whole = yield* detailWithin(picture, wholeOf(picture));
  let best = placeAt(picture, size, 0, 0);
  let least = Number.POSITIVE_INFINITY;
  for (const place of shares.flatMap((x) => shares.map((y) => placeAt(picture, size, x, y)))) {
    const off = Math.abs(Math.log((yield* detailWithin(picture, place)) / whole));
    if (off >= least) continue;
    best = place;
    least = off;
  }
  return best;
}

function isWhole(picture: Size, { width, height }: Size): boolean {
  return picture.width === width && picture.height === height;
}

function placeAt(picture: Size, size: Size, x: number, y: number): Region {
  const left = Math.floor(x * (picture.width - size.width));
  const top = Math.floor(y * (picture.height - size.height));
  return { left, top, ...size };
}

/** CPU time of comparing neighbors, in milliseconds per megapixel. */
const comparingMs = 3;

/** The share of pixels that differ from the previous one; never 0. */
function* detailWithin(
  { pixels, width: step }: Canvas,
  { left, top, width, height }: Region,
): Slices<number> {
  let changes = 0;
  const pace = Pace.ofRows(width, comparingMs);
  for (let y = top; y < top + height; y += 1) {
    const start = y * step + left;
    for (let i = start + 1; i < start + width; i += 1)
      if (pixels[i] !== pixels[i - 1]) changes += 1;
    yield* pace.after();
  }
  return (changes + 1) / (width * height);
}
