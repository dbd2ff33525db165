import type { Region, Size } from '../pixels/raster.ts';
import { forEachRowOf, type RowSource } from '../pixels/row-source.ts';
import type { AnimationFrame, Canvas } from './timeline.ts';

/** A canvas on which nothing has been drawn: all pixels are transparent black. */
export function emptyCanvas({ width, height }: Size): Canvas {
  return { width, height, pixels: new Uint32Array(width * height) };
}

/** Frees the memory of a canvas at once, without waiting for garbage collection. */
export function endCanvas({ pixels }: Canvas): void {
  pixels.buffer.transfer(0);
}

/** The index of the first pixel of a row of a region, counted from the top of the region. */
function rowStart({ width }: Size, { left, top }: Region, y: number): number {
  return (top + y) * width + left;
}

/** The region that covers a whole canvas. */
export function wholeOf({ width, height }: Size): Region {
  return { left: 0, top: 0, width, height };
}

/** Makes a region of a canvas transparent. */
export function clearRegion(canvas: Canvas, region: Region): void {
  for (let y = 0; y < region.height; y += 1) {
    const at = rowStart(canvas, region, y);
    canvas.pixels.fill(0, at, at + region.width);
  }
}

/** The rows of a region, as views of the canvas. */
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

/**
 * Draws the frames of an animation one after the other; after each, the canvas holds the picture that a viewer shows.
 * Sources: GIF89a §23, PNG third edition §11.3.6.2, RFC 9649 §2.7.1.1.
 */
export class Composition {
  readonly canvas: Canvas;
  /** Whether partly transparent pixels have been blended with others so far, which decoders round differently. */
  isRounded = false;
  #last: AnimationFrame | undefined;
  /** The region of the last frame as it was before, where it has to be restored. */
  #covered: Uint32Array<ArrayBuffer> | undefined;

  constructor(size: Size) {
    this.canvas = emptyCanvas(size);
  }

  /**
   * Disposes of the frame before, and draws the next one.
   * @param rows of the frame's region
   * @throws whatever the rows throw
   */
  draw(frame: AnimationFrame, rows: RowSource): void {
    this.#dispose();
    const isFirst = this.#last === undefined;
    this.#last = frame;
    if (frame.disposal === 'previous') {
      // before the first frame, the canvas is transparent
      if (isFirst) this.#last = { ...frame, disposal: 'background' };
      else this.#covered = this.#copyOf(frame.region);
    }
    const { canvas } = this;
    forEachRowOf(rows, (row, y) => {
      const words = new Uint32Array(row.buffer, row.byteOffset, frame.region.width);
      const at = rowStart(canvas, frame.region, y);
      if (frame.blend === 'replace') canvas.pixels.set(words, at);
      else this.#blendRow(words, at);
    });
  }

  /** Frees all memory at once. */
  end(): void {
    this.#covered?.buffer.transfer(0);
    endCanvas(this.canvas);
  }

  #dispose(): void {
    const last = this.#last;
    if (!last || last.disposal === 'keep') return;
    const { region } = last;
    if (last.disposal === 'background') {
      clearRegion(this.canvas, region);
      return;
    }
    const covered = this.#covered;
    if (!covered) return;
    for (let y = 0; y < region.height; y += 1) {
      const from = y * region.width;
      const row = covered.subarray(from, from + region.width);
      this.canvas.pixels.set(row, rowStart(this.canvas, region, y));
    }
    covered.buffer.transfer(0);
    this.#covered = undefined;
  }

  #copyOf(region: Region): Uint32Array<ArrayBuffer> {
    const copy = new Uint32Array(region.width * region.height);
    for (let y = 0; y < region.height; y += 1) {
      const at = rowStart(this.canvas, region, y);
      copy.set(this.canvas.pixels.subarray(at, at + region.width), y * region.width);
    }
    return copy;
  }

  #blendRow(row: Uint32Array, at: number): void {
    const { pixels } = this.canvas;
    for (let x = 0; x < row.length; x += 1) {
      const above = row[x] ?? 0;
      const alpha = above >>> 24;
      if (alpha === 0) continue;
      const below = pixels[at + x] ?? 0;
      if (alpha === 255 || below >>> 24 === 0) {
        pixels[at + x] = above;
      } else {
        pixels[at + x] = blended(above, below);
        this.isRounded = true;
      }
    }
  }
}

/**
 * The colour that results from drawing one over another, both words of straight RGBA. Samples are rounded to the nearest
 * (PNG third edition §13.16).
 */
export function blended(above: number, below: number): number {
  const alpha = above >>> 24;
  const under = (below >>> 24) * (255 - alpha);
  const sum = 255 * alpha + under;
  const channel = (shift: number) =>
    Math.round(
      (255 * alpha * ((above >>> shift) & 255) + under * ((below >>> shift) & 255)) / sum,
    ) << shift;
  return (channel(0) | channel(8) | channel(16) | (Math.round(sum / 255) << 24)) >>> 0;
}
