import { buffers, type Workspace } from '../container/workspace.ts';
import type { Region, Size } from '../pixels/raster.ts';
import { forEachRowOf, pacedRows, type RowSource } from '../pixels/row-source.ts';
import type { Slices } from '../slices.ts';
import { union } from './regions.ts';
import type { AnimationFrame, Canvas } from './timeline.ts';

/**
 * An empty canvas: transparent, all zeros.
 * @throws NoMemory if memory does not suffice
 */
export function emptyCanvas({ width, height }: Size, memory: Workspace = buffers): Canvas {
  return { width, height, pixels: wordsOf(memory.take(4 * width * height)) };
}

/**
 * Several empty canvases.
 * @throws NoMemory if memory does not suffice for all of them; none is then allocated
 */
export function emptyCanvases(size: Size, count: number, memory: Workspace = buffers): Canvas[] {
  const canvases: Canvas[] = [];
  try {
    while (canvases.length < count) canvases.push(emptyCanvas(size, memory));
  } catch (error) {
    for (const canvas of canvases) endCanvas(canvas, memory);
    throw error;
  }
  return canvases;
}

/** Frees the memory of a canvas at once. @param memory the workspace from which it was allocated */
export function endCanvas({ pixels }: Canvas, memory: Workspace = buffers): void {
  memory.giveBack(bytesOf(pixels));
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>) {
  return new Uint32Array(buffer, byteOffset, length / 4);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Typical CPU time of reading a frame and drawing it, in milliseconds per megapixel. */
const drawingMs = 30;

/** The index of the first pixel of a row of a region, counted from the top of the region. */
function rowStart({ width }: Size, { left, top }: Region, y: number): number {
  return (top + y) * width + left;
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
    *start() {
      y = 0;
    },
    *next() {
      const at = rowStart(canvas, region, y);
      y += 1;
      return bytesOf(canvas.pixels.subarray(at, at + region.width));
    },
    *end() {},
  };
}

/**
 * Draws the frames of an animation in order; after each, the canvas holds the picture that a viewer displays.
 * Sources: GIF89a §23, PNG third edition §11.3.6.2, RFC 9649 §2.7.1.1.
 */
export class Composition {
  readonly canvas: Canvas;
  readonly #memory: Workspace;
  /** Whether partly transparent pixels have been blended with others so far, which decoders round differently. */
  isRounded = false;
  #last: AnimationFrame | undefined;
  /** The pixels below the last frame, if they have to be restored. */
  #covered: Uint32Array<ArrayBuffer> | undefined;

  /** @throws NoMemory if memory does not suffice for a canvas */
  constructor(size: Size, memory: Workspace = buffers) {
    this.#memory = memory;
    this.canvas = emptyCanvas(size, memory);
  }

  /**
   * Disposes of the preceding frame and draws the next one.
   * @param rows the rows of the frame's region
   * @returns the region outside of which the canvas is unchanged
   * @throws any error that the rows throw
   */
  *draw(frame: AnimationFrame, rows: RowSource): Slices<Region> {
    const disposed = this.#dispose();
    const isFirst = this.#last === undefined;
    this.#last = frame;
    if (frame.disposal === 'previous') {
      // the canvas before the first frame is transparent
      if (isFirst) this.#last = { ...frame, disposal: 'background' };
      else this.#covered = this.#copyOf(frame.region);
    }
    const { canvas } = this;
    const rowMs = (drawingMs * frame.region.width) / 1e6;
    yield* forEachRowOf(pacedRows(rows, rowMs), (row, y) => {
      const words = new Uint32Array(row.buffer, row.byteOffset, frame.region.width);
      const at = rowStart(canvas, frame.region, y);
      if (frame.blend === 'replace') canvas.pixels.set(words, at);
      else this.#blendRow(words, at);
    });
    return union(frame.region, disposed);
  }

  /** Frees all memory at once. */
  end(): void {
    this.#endCovered();
    endCanvas(this.canvas, this.#memory);
  }

  /** Disposes of the last frame. @returns the region that changed; null for none */
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
    this.#endCovered();
    return region;
  }

  #endCovered(): void {
    if (this.#covered) this.#memory.giveBack(bytesOf(this.#covered));
    this.#covered = undefined;
  }

  #copyOf(region: Region): Uint32Array<ArrayBuffer> {
    const copy = wordsOf(this.#memory.take(4 * region.width * region.height));
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
 * The color that results from drawing one over another, both words of straight RGBA. Samples are rounded to the nearest
 * integer (PNG third edition §13.16).
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
