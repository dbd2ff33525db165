import { Composition, emptyCanvas, endCanvas } from '../../animation/composition.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { AnimationFrame, Canvas, Duration } from '../../animation/timeline.ts';
import type { Workspace } from '../../container/workspace.ts';
import type { AnimationReader } from '../../formats/animation-format.ts';
import type { Halvings } from '../../formats/coding.ts';
import type { Source } from '../../formats/inspection.ts';
import { decoderOf, formatOf } from '../../formats/registry.ts';
import { turnedSize, turnInPlace } from '../../pixels/orientation.ts';
import { endRaster, type Raster, type Region, type Size } from '../../pixels/raster.ts';
import {
  copiedRows,
  forEachRowOf,
  gathered,
  type RowSource,
  rowsOf,
} from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { sideArena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps } from '../candidates.ts';
import { ReadingError } from '../decode.ts';
import { decodingFor, stagedRows } from '../pixel-stages.ts';

/** An animation to be read, and the memory for that. */
export interface Reading {
  readonly file: Uint8Array;
  readonly source: Source;
  /** For canvases. */
  readonly workspace: Workspace;
}

/** A picture of an animation, and how long it is shown. */
export interface Shown {
  /** Valid until the next one is requested; must not be modified. */
  readonly picture: Canvas;
  /** Outside of this region, it equals the previous picture. */
  readonly changed: Region;
  readonly duration: Duration;
  /** Whether colors have been blended so far, which decoders round differently. */
  readonly isRounded: boolean;
  /** Whether samples of more than 8 bits have been rounded so far. */
  readonly hasLostDepth: boolean;
}

/** Pictures in order, and pauses between them. */
export type Pictures = Generator<Shown | number, void, void>;

/** Whether an item of `Pictures` is a pause, as `Slices` yield it. */
export function isPause(item: Shown | number): item is number {
  return typeof item === 'number';
}

/** The animation reader of the source's format. */
export function animationReaderOf({ image }: Source): AnimationReader {
  const { animation } = formatOf(image).read;
  if (!animation) throw new TypeError(`animations in ${image.type} are not read`);
  return animation;
}

/** The size of pictures after all steps. */
export function preparedSize({ image }: Source, { target, turn }: PixelSteps): Size {
  return turnedSize(target ?? image, turn);
}

/**
 * The pictures of an animation as shown, in order, after these steps. Frames are decoded in the side arena, for which
 * memory has been reserved.
 *
 * @param holdsPartialAlpha if false, pixels are made opaque or fully transparent
 * @throws ReadingError if a frame is damaged or takes more memory than is available
 */
export function* shownPictures(
  { file, source, workspace }: Reading,
  steps: PixelSteps,
  holdsPartialAlpha = true,
): Pictures {
  const { image } = source;
  const reader = animationReaderOf(source);
  if (isReadInRows(source, steps)) {
    yield* onlyPicture(file, source, steps, holdsPartialAlpha);
    return;
  }
  const composition = new Composition(image, workspace);
  let hasLostDepth = false;
  try {
    for (const frame of framesOf(reader, file, source)) {
      const drawn = yield* readingFrame(
        reader.open(file, image, frame, sideArena, function* (rows) {
          const region = yield* composition.draw(frame, rows);
          hasLostDepth ||= rows.isRounded === true;
          return region;
        }),
      );
      const { duration } = frame;
      // Reduction spreads a change, and rotation moves it.
      const changed = isPrepared(steps) ? wholeOf(preparedSize(source, steps)) : drawn;
      const { isRounded } = composition;
      const prepared =
        (yield* preparedRaster(composition.canvas, source, steps)) ??
        (holdsPartialAlpha || image.type === 'gif' ? null : copyOf(composition.canvas));
      if (!prepared) {
        yield { picture: composition.canvas, changed, duration, isRounded, hasLostDepth };
        continue;
      }
      if (!holdsPartialAlpha) removePartialAlpha(prepared);
      try {
        yield { picture: canvasOf(prepared), changed, duration, isRounded, hasLostDepth };
      } finally {
        endRaster(prepared);
      }
    }
  } finally {
    composition.end();
  }
}

/** Whether a still is prepared row by row, so that only the result is held. */
export function isReadInRows(source: Source, steps: PixelSteps): boolean {
  const { image, fileBytes } = source;
  if (image.frames > 1 || image.bitDepth > 8 || !isPrepared(steps)) return false;
  const available = animationReaderOf(source).arenaBytes(image, fileBytes);
  return decoderOf(image).arenaBytes(image, fileBytes) <= available;
}

/** The picture of a still, as `shownPictures` yields it. */
function* onlyPicture(
  file: Uint8Array,
  source: Source,
  steps: PixelSteps,
  holdsPartialAlpha: boolean,
): Pictures {
  const { image } = source;
  for (const { duration } of framesOf(animationReaderOf(source), file, source)) {
    const how = decodingFor(source, steps);
    const prepared = yield* readingFrame(
      decoderOf(image).open(file, image, how, sideArena, (rows) =>
        rasterAfter(rows, source, steps, how.halvings),
      ),
    );
    if (!holdsPartialAlpha) removePartialAlpha(prepared);
    const picture = canvasOf(prepared);
    try {
      yield { picture, changed: wholeOf(picture), duration, isRounded: false, hasLostDepth: false };
    } finally {
      endRaster(prepared);
    }
    return;
  }
}

/**
 * Calls `use` with the picture for software without support for animations, after these steps, if there is one.
 * @throws ReadingError if it is damaged or takes more memory than is available
 */
export function* withSubstitute(
  { file, source, workspace }: Reading,
  steps: PixelSteps,
  use: (picture: Canvas, hasLostDepth: boolean) => Slices<void>,
): Slices<void> {
  const { image } = source;
  const { substitute } = animationReaderOf(source);
  if (!substitute?.isThere(image)) return;
  const canvas = emptyCanvas(image, workspace);
  try {
    const hasLostDepth = yield* readingFrame(
      substitute.open(file, image, sideArena, function* (rows) {
        yield* drawWhole(rows, canvas);
        return rows.isRounded === true;
      }),
    );
    const prepared = yield* preparedRaster(canvas, source, steps);
    try {
      yield* use(prepared ? canvasOf(prepared) : canvas, hasLostDepth);
    } finally {
      if (prepared) endRaster(prepared);
    }
  } finally {
    endCanvas(canvas, workspace);
  }
}

function drawWhole(rows: RowSource, { pixels, width }: Canvas): Slices<void> {
  return forEachRowOf(rows, (row, y) => {
    pixels.set(new Uint32Array(row.buffer, row.byteOffset, width), y * width);
  });
}

/**
 * Decodes all frames only to verify that they are intact.
 * @throws ReadingError if one is damaged or takes more memory than is available
 */
export function* viewFrames(file: Uint8Array, source: Source): Slices<void> {
  const reader = animationReaderOf(source);
  for (const frame of framesOf(reader, file, source)) {
    yield* readingFrame(
      reader.open(file, source.image, frame, sideArena, (rows) => forEachRowOf(rows, () => {})),
    );
  }
}

function* framesOf(
  reader: AnimationReader,
  file: Uint8Array,
  { image }: Source,
): Generator<AnimationFrame> {
  const frames = reader.frames(file, image)[Symbol.iterator]();
  for (;;) {
    const { done, value } = reading(() => frames.next());
    if (done) return;
    yield value;
  }
}

function reading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw readingError(error);
  }
}

function* readingFrame<Result>(work: Slices<Result>): Slices<Result> {
  try {
    return yield* work;
  } catch (error) {
    throw readingError(error);
  }
}

function readingError(error: unknown): unknown {
  return error instanceof CodecError ? new ReadingError(error) : error;
}

/** Whether any step changes the pictures. */
export function isPrepared({ target, turn, background, toSrgb }: PixelSteps): boolean {
  return target !== null || turn !== 1 || background !== null || toSrgb;
}

/** A picture after the steps; null if there are none. */
function* preparedRaster(canvas: Canvas, source: Source, steps: PixelSteps): Slices<Raster | null> {
  if (!isPrepared(steps)) return null;
  return yield* rasterAfter(copiedRows(rowsOf(rasterOf(canvas))), source, steps, 0);
}

/** The raster that rows become; see `stagedRows`. */
function* rasterAfter(
  rows: RowSource,
  source: Source,
  steps: PixelSteps,
  halvings: Halvings,
): Slices<Raster> {
  const staged = stagedRows(rows, source, steps, halvings);
  try {
    return turnInPlace(yield* gathered(staged), steps.turn);
  } finally {
    staged.release?.();
  }
}

function copyOf({ width, height, pixels }: Canvas): Raster {
  return { width, height, data: new Uint8ClampedArray(pixels.slice().buffer) };
}

/** Makes pixels with at least half the maximum alpha opaque, and the others fully transparent, in place. */
function removePartialAlpha({ data }: Raster): void {
  const pixels = new Uint32Array(data.buffer);
  for (let i = 0; i < pixels.length; i += 1) {
    const pixel = pixels[i] ?? 0;
    const alpha = pixel >>> 24;
    if (alpha < 255) pixels[i] = alpha < 128 ? 0 : pixel | 0xff000000;
  }
}

/** The pixels of a canvas as a raster, without a copy. */
function rasterOf({ width, height, pixels }: Canvas): Raster {
  const { buffer, byteOffset, byteLength } = pixels;
  return { width, height, data: new Uint8ClampedArray(buffer, byteOffset, byteLength) };
}

function canvasOf({ width, height, data }: Raster): Canvas {
  return { width, height, pixels: new Uint32Array(data.buffer) };
}
