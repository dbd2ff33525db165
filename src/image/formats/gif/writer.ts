import type { Canvas, PlannedFrame } from '../../animation/timeline.ts';
import { StreamPieces } from '../../container/drained-output.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import {
  type AnimationCoding,
  type AnimationRun,
  type AnimationShape,
  type AnimationSink,
  type AnimationWriter,
  type Appearance,
  TooManyColors,
} from '../format.ts';
import { frameHead, gifHead, gifTrailer, maxHeadBytes } from './coded-gif.ts';
import { type FrameTable, frequentTable, GlobalTable, localTable, withAllIndices } from './color-tables.ts';
import { gifWritingMs } from './cpu.ts';
import type { CodedFrame } from './coded-frame.ts';
import { exactFrame } from './exact-frame.ts';
import { lossAt, lossyFrame, squaredDistance } from './lossy-frame.ts';
import { type FrameColors, frameColors } from './frame-colors.ts';
import { countedBytes, expectRoom, type GifKernel, runGifKernel } from './kernel.ts';

export const gifAnimationWriter: AnimationWriter = {
  disposals: ['keep', 'background', 'previous'],
  canClear: false,
  offsetStep: 1,
  durations: { perSecond: 100, maxTicks: 65_535 },
  maxPlays: 65_536,
  arenaBytes: frameArenaBytes,
  cpuMs: ({ pixels }, { quality }) => gifWritingMs(pixels, quality),
  passesFor,
  begin: (animation, coding, run) => new GifSink(animation, coding, run),
};

/** The arena that coding a frame takes, in bytes, its data included. */
export function frameArenaBytes({ width, height }: PictureShape): number {
  const pixels = width * height;
  // a code of 12 bits for each pixel, and a byte for 255 of them
  const data = Math.ceil((1.5 * pixels * 256) / 255) + outputMargin;
  return data + countedBytes((kernel) => expectRoom(kernel.allocateEncoder(pixels)));
}

/** What the kernel asks for ahead of what it writes, and what short data take beside their codes. */
const outputMargin = 65_536;

/** Pixels of less than half their cover are not seen. */
function isClear(word: number): boolean {
  return word >>> 24 < 128;
}

function passesFor({ quality }: AnimationCoding): (shown: number, wanted: number) => boolean {
  if (quality === 'lossless' || quality === 100) {
    return (shown, wanted) => shown === wanted || (shown >>> 24 === 0 && wanted >>> 24 === 0);
  }
  const most = (Number(process.env.PASS ?? 0.7) * lossAt(quality).distance) ** 2;
  return (shown, wanted) => {
    if (shown === wanted) return true;
    if (isClear(shown) || isClear(wanted)) return isClear(shown) && isClear(wanted);
    return squaredDistance(shown, wanted) <= most;
  };
}

class GifSink implements AnimationSink {
  readonly #animation: AnimationShape;
  readonly #coding: AnimationCoding;
  readonly #run: AnimationRun;
  readonly #passes: (shown: number, wanted: number) => boolean;
  readonly #global = new GlobalTable();
  readonly #pieces: StreamPieces;

  constructor(animation: AnimationShape, coding: AnimationCoding, run: AnimationRun) {
    this.#animation = animation;
    this.#coding = coding;
    this.#run = run;
    this.#passes = passesFor(coding);
    this.#pieces = new StreamPieces(Math.max(0, run.maxBytes - maxHeadBytes));
  }

  add(frame: PlannedFrame): void {
    const isExact = this.#coding.quality === 'lossless' || this.#coding.quality === 100;
    if (!withoutPartialAlpha(frame) && isExact) throw new TooManyColors();
    const { table, data } = this.#coded(frame);
    this.#global.take(table);
    const { region, duration, disposal } = frame;
    const head = frameHead({ region, delay: duration.ticks, disposal }, table);
    if (head.length + data.length > this.#pieces.room) throw new NoRoomForResult('gif kernel');
    this.#pieces.append(head);
    this.#pieces.append(data);
  }

  #coded(frame: PlannedFrame): CodedFrame {
    const { width, height } = frame.region;
    const colors = frameColors(frame, this.#passes);
    const global = this.#global.extended(colors);
    const { quality } = this.#coding;
    const isExact = quality === 'lossless' || quality === 100;
    const tables = isExact ? frameTables(frame, colors, global) : [global ? withAllIndices(global) : frequentTable(colors)] as [FrameTable];
    return runGifKernel(
      null,
      (kernel) => {
        expectRoom(kernel.allocateEncoder(width * height));
        setPlane(kernel, kernel.targetsAt(), frame.picture, frame);
        setPlane(kernel, kernel.basesAt(), frame.base, frame);
        if (isExact) return exactFrame(kernel, width * height, tables);
        const coded = lossyFrame(kernel, frame.region, tables[0], lossAt(quality));
        takePlane(kernel, kernel.targetsAt(), frame);
        return coded;
      },
      this.#run.memory,
    );
  }

  finish(appearance: Appearance): readonly Uint8Array[] {
    const { width, height, plays } = this.#animation;
    const { colors, length } = this.#global;
    const tableLength = colors.length > 0 ? length : 0;
    const head = gifHead({ width, height, colors, tableLength, plays }, appearance);
    return [...head, ...this.#pieces.parts, gifTrailer];
  }

  free(): void {
    this.#pieces.free();
  }
}

/** A frame of fewer pixels has nothing to gain by a table of its own. */
const leastLocalPixels = 200;

/**
 * Tables that a frame can be coded with.
 * @throws TooManyColors where there is none
 */
function frameTables(
  { region }: PlannedFrame,
  colors: FrameColors,
  global: FrameTable | null,
): [FrameTable, ...FrameTable[]] {
  if (global && region.width * region.height < leastLocalPixels) return [global];
  try {
    const local = [localTable(colors, false), localTable(colors, true)] as const;
    return global ? [global, ...local] : [...local];
  } catch (error) {
    if (global && error instanceof TooManyColors) return [global];
    throw error;
  }
}

/** Makes all pixels of the region opaque or 0, in place; false where one was partly transparent. */
function withoutPartialAlpha({ region, picture, base }: PlannedFrame): boolean {
  let isWhole = true;
  for (let y = region.top; y < region.top + region.height; y += 1) {
    const start = y * picture.width + region.left;
    for (let i = start; i < start + region.width; i += 1) {
      const word = picture.pixels[i] ?? 0;
      const alpha = word >>> 24;
      if (alpha === 255) continue;
      if (alpha > 0) isWhole = false;
      // what is below cannot be made transparent
      const below = base.pixels[i] ?? 0;
      picture.pixels[i] =
        alpha < 128 ? (below >>> 24 === 255 ? below : 0) : (word | 0xff000000) >>> 0;
    }
  }
  return isWhole;
}

/** Copies the region of a canvas into the kernel's memory. */
function setPlane(kernel: GifKernel, at: number, canvas: Canvas, { region }: PlannedFrame): void {
  const { left, top, width, height } = region;
  const plane = new Uint32Array(kernel.bytes.buffer, at, width * height);
  for (let y = 0; y < height; y += 1) {
    const start = (top + y) * canvas.width + left;
    plane.set(canvas.pixels.subarray(start, start + width), y * width);
  }
}

/** Copies a plane of the kernel's memory into the region of what shall be seen. */
function takePlane(kernel: GifKernel, at: number, { region, picture }: PlannedFrame): void {
  const { left, top, width, height } = region;
  for (let y = 0; y < height; y += 1) {
    const row = new Uint32Array(kernel.bytes.buffer, at + 4 * y * width, width);
    picture.pixels.set(row, (top + y) * picture.width + left);
  }
}
