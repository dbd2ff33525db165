import type { Region, Size } from '../pixels/raster.ts';
import { forEachRowOf, type RowSource } from '../pixels/row-source.ts';
import type { AnimationFrame, Canvas } from './timeline.ts';

/** A colour that is not opaque, laid over another one; both are words of straight RGBA. */
export type Blending = (above: number, below: number) => number;

/** A canvas on which nothing has been drawn: transparent, and all zeros. */
export function emptyCanvas({ width, height }: Size): Canvas {
  return { width, height, pixels: new Uint32Array(width * height) };
}

/** Gives the memory of a canvas back now. */
export function endCanvas({ pixels }: Canvas): void {
  pixels.buffer.transfer(0);
}

/** Where a row of a region begins in the pixels of a canvas. */
export function rowStart({ width }: Size, { left, top }: Region, y: number): number {
  return (top + y) * width + left;
}

/** All of a canvas. */
export function wholeOf({ width, height }: Size): Region {
  return { left: 0, top: 0, width, height };
}

/** Makes a part of a canvas transparent. */
export function clearRegion(canvas: Canvas, region: Region): void {
  for (let y = 0; y < region.height; y += 1) {
    const at = rowStart(canvas, region, y);
    canvas.pixels.fill(0, at, at + region.width);
  }
}

/** The rows of a part of a canvas, where they lie in it. */
export function rowsOfRegion(canvas: Canvas, region: Region): RowSource {
  let y = 0;
  return {
    width: region.width,
    height: region.height,
    start() {
      y = 0;
    },
    next() {
      const at = rowStart(canvas, region, y);
      y += 1;
      return new Uint8Array(canvas.pixels.buffer, 4 * at, 4 * region.width);
    },
    end() {},
  };
}

/** Bytes of what a frame covers, which are kept while it is shown where it makes way for what was there before. */
export function restoredBytes({ disposal, region }: AnimationFrame): number {
  return disposal === 'previous' ? 4 * region.width * region.height : 0;
}

/**
 * Draws the frames of an animation one after the other, so that the canvas holds what is seen.
 * Sources: GIF89a §23, PNG third edition §11.3.6.2, RFC 9649 §2.7.1.1.
 */
export class Composition {
  readonly canvas: Canvas;
  readonly #blend: Blending;
  #last: AnimationFrame | undefined;
  /** What lay under the last frame. */
  #covered: Uint32Array<ArrayBuffer> | undefined;

  constructor(size: Size, blend: Blending) {
    this.canvas = emptyCanvas(size);
    this.#blend = blend;
  }

  /**
   * Takes the frame before away, as far as that says so, and draws the next one.
   * @param rows of the frame's region
   * @throws what the rows throw
   */
  draw(frame: AnimationFrame, rows: RowSource): void {
    const cleared = this.#dispose();
    const isFirst = this.#last === undefined;
    this.#last = frame;
    if (frame.disposal === 'previous') {
      // there is nothing before the first frame
      if (isFirst) this.#last = { ...frame, disposal: 'background' };
      else this.#covered = this.#copyOf(frame.region);
    }
    const { canvas } = this;
    forEachRowOf(rows, (row, y) => {
      const words = new Uint32Array(row.buffer, row.byteOffset, frame.region.width);
      const at = rowStart(canvas, frame.region, y);
      if (frame.blend === 'replace') canvas.pixels.set(words, at);
      else this.#layOver(words, at, frame.region, y, cleared);
    });
  }

  /** Gives the memory back now. */
  end(): void {
    this.#covered?.buffer.transfer(0);
    endCanvas(this.canvas);
  }

  /** @returns the part that has become transparent, if any */
  #dispose(): Region | null {
    const last = this.#last;
    if (!last || last.disposal === 'keep') return null;
    const { region } = last;
    if (last.disposal === 'background') {
      clearRegion(this.canvas, region);
      return region;
    }
    const covered = this.#covered;
    if (!covered) return null;
    for (let y = 0; y < region.height; y += 1) {
      const from = y * region.width;
      const row = covered.subarray(from, from + region.width);
      this.canvas.pixels.set(row, rowStart(this.canvas, region, y));
    }
    covered.buffer.transfer(0);
    this.#covered = undefined;
    return null;
  }

  #copyOf(region: Region): Uint32Array<ArrayBuffer> {
    const copy = new Uint32Array(region.width * region.height);
    for (let y = 0; y < region.height; y += 1) {
      const at = rowStart(this.canvas, region, y);
      copy.set(this.canvas.pixels.subarray(at, at + region.width), y * region.width);
    }
    return copy;
  }

  /**
   * Blends a row. On what has just become transparent, colours are taken as they are: libwebp does that, and its
   * blending does not leave them alone.
   */
  #layOver(
    row: Uint32Array,
    at: number,
    { left, top, width }: Region,
    y: number,
    cleared: Region | null,
  ): void {
    const { pixels } = this.canvas;
    const isInCleared =
      cleared !== null && top + y >= cleared.top && top + y < cleared.top + cleared.height;
    const clearFrom = isInCleared ? cleared.left - left : 0;
    const clearTo = isInCleared ? clearFrom + cleared.width : 0;
    for (let x = 0; x < width; x += 1) {
      const above = row[x] ?? 0;
      const alpha = above >>> 24;
      if (alpha === 0) continue;
      const isTaken = alpha === 255 || (x >= clearFrom && x < clearTo);
      pixels[at + x] = isTaken ? above : this.#blend(above, pixels[at + x] ?? 0);
    }
  }
}

/** Rounded to the nearest, as PNG's specification asks for in effect (third edition §13.16). */
export function blendedExactly(above: number, below: number): number {
  const alpha = above >>> 24;
  const under = (below >>> 24) * (255 - alpha);
  const sum = 255 * alpha + under;
  const channel = (shift: number) =>
    Math.round(
      (255 * alpha * ((above >>> shift) & 255) + under * ((below >>> shift) & 255)) / sum,
    ) << shift;
  return (channel(0) | channel(8) | channel(16) | (Math.round(sum / 255) << 24)) >>> 0;
}
