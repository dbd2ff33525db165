import type { Region } from '../../../src/image/pixels/raster.ts';
import type { Timeline, TimelinePicture } from './timeline.ts';

/** What happens to a frame's region when its time is over. */
export type FrameDisposal = 'keep' | 'background' | 'previous';

/** A frame as described in a file, with decoded pixels. */
export interface ComposedFrame {
  /** May extend beyond the canvas: the part outside is not drawn. */
  readonly region: Region;
  /** Pixels of the region, straight RGBA. */
  readonly pixels: Buffer;
  /** Duration in milliseconds. */
  readonly ms: number;
  readonly disposal: FrameDisposal;
  /** `over`: blended with the canvas; `replace`: overwrites the canvas. */
  readonly blend: 'over' | 'replace';
}

/** Red, green, blue and alpha, 0 to 255, not premultiplied. */
type Rgba = readonly [number, number, number, number];
/** Blends a pixel that is neither opaque nor fully transparent over another one. */
export type Over = (above: Rgba, below: Rgba) => Rgba;

/**
 * Blending of straight alpha in exact arithmetic, rounded once (PNG, third edition, §13.16: "Alpha channel
 * processing").
 */
export const exactOver: Over = (above, below) => {
  const below255 = below[3] * (255 - above[3]);
  const alpha255 = 255 * above[3] + below255;
  const channel = (c: 0 | 1 | 2) =>
    Math.round((255 * above[c] * above[3] + below[c] * below255) / alpha255);
  return [channel(0), channel(1), channel(2), Math.round(alpha255 / 255)];
};

/** Blending as in libwebp's animation decoder, `BlendPixelNonPremult` in src/demux/anim_decode.c. */
export const libwebpOver: Over = (above, below) => {
  const belowAlpha = (below[3] * (256 - above[3])) >> 8;
  const alpha = above[3] + belowAlpha;
  const scale = Math.floor(2 ** 24 / alpha);
  const channel = (c: 0 | 1 | 2) =>
    Math.floor(((above[c] * above[3] + below[c] * belowAlpha) * scale) / 2 ** 24);
  return [channel(0), channel(1), channel(2), alpha];
};

/**
 * Composes frames by the rules that GIF, APNG and WebP have in common: the canvas is fully transparent at first, and
 * `background` makes a frame's region fully transparent, which is also the effect of `previous` on the first frame.
 */
export function composed(
  shape: { readonly width: number; readonly height: number; readonly plays: number },
  frames: readonly ComposedFrame[],
  over: Over = exactOver,
): Timeline {
  const { width, height, plays } = shape;
  const composition = new Composition(shape, over);
  const pictures: TimelinePicture[] = [];
  let end = 0;
  for (const frame of frames) {
    end += frame.ms;
    pictures.push({ pixels: Buffer.from(composition.show(frame)), end });
  }
  return { width, height, plays, pictures };
}

/** A canvas on which frames are shown one after another, so that a long animation need not be held in memory. */
export class Composition {
  readonly #size: { readonly width: number; readonly height: number };
  readonly #over: Over;
  readonly #canvas: Buffer;
  #dispose = () => {};

  constructor(size: { readonly width: number; readonly height: number }, over: Over = exactOver) {
    this.#size = size;
    this.#over = over;
    this.#canvas = Buffer.alloc(4 * size.width * size.height);
  }

  /** @returns the canvas with the frame on it, straight RGBA, valid until the next frame is shown */
  show(frame: ComposedFrame): Buffer {
    this.#dispose();
    this.#dispose = this.#disposalOf(frame);
    draw(this.#canvas, this.#size, frame, this.#over);
    return this.#canvas;
  }

  #disposalOf({ disposal, region }: ComposedFrame): () => void {
    switch (disposal) {
      case 'keep':
        return () => {};
      case 'background':
        return () => clear(this.#canvas, this.#size, region);
      case 'previous': {
        const before = Buffer.from(this.#canvas);
        return () => before.copy(this.#canvas);
      }
    }
  }
}

function draw(
  canvas: Buffer,
  size: { readonly width: number; readonly height: number },
  { region, pixels, blend }: ComposedFrame,
  over: Over,
): void {
  for (let y = 0; y < region.height; y++) {
    for (let x = 0; x < region.width; x++) {
      if (x + region.left >= size.width || y + region.top >= size.height) continue;
      const from = 4 * (y * region.width + x);
      const to = 4 * ((y + region.top) * size.width + x + region.left);
      const alpha = pixels[from + 3] ?? 0;
      // There is nothing to blend with: libwebp's formula would sometimes be off by one, but browsers are not.
      const isPlain = alpha === 255 || (alpha > 0 && canvas[to + 3] === 0);
      if (blend === 'replace' || isPlain) pixels.copy(canvas, to, from, from + 4);
      else if (alpha > 0) canvas.set(over(pixelAt(pixels, from), pixelAt(canvas, to)), to);
    }
  }
}

function pixelAt(pixels: Buffer, at: number): Rgba {
  return [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, pixels[at + 3] ?? 0];
}

function clear(
  canvas: Buffer,
  size: { readonly width: number; readonly height: number },
  region: Region,
): void {
  const right = Math.min(size.width, region.left + region.width);
  const bottom = Math.min(size.height, region.top + region.height);
  for (let y = region.top; y < bottom; y++) {
    if (region.left < right)
      canvas.fill(0, 4 * (y * size.width + region.left), 4 * (y * size.width + right));
  }
}
