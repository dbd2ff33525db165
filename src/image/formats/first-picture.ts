import type { Region, Size } from '../pixels/raster.ts';
import { bytesPerRasterPixel } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import { CodecError } from '../wasm/codec.ts';
import type { AnimationReader } from './animation-format.ts';
import type { RowDecoder } from './coding.ts';
import type { Inspection } from './inspection.ts';

/** Decodes the first picture of an animation: its first frame on an otherwise transparent canvas. */
export function firstPictureDecoder(
  still: RowDecoder<Inspection>,
  animation: AnimationReader,
): RowDecoder<Inspection> {
  return {
    ...still,
    maxHalvings: 0,
    halvingsFor: () => 0,
    *open(file, image, { deepSamples }, memory, use) {
      for (const frame of animation.frames(file, image)) {
        return yield* animation.open(
          file,
          image,
          frame,
          memory,
          (rows) => use(onCanvas(rows, frame.region, image)),
          deepSamples,
        );
      }
      throw new CodecError('animation', false, 'it has no frame');
    },
  };
}

function onCanvas(rows: RowSource, { left, top, width, height }: Region, canvas: Size): RowSource {
  if (width === canvas.width && height === canvas.height) return rows;
  const row = new Uint8Array(bytesPerRasterPixel * canvas.width);
  const clear = new Uint8Array(row.length);
  let y = 0;
  return {
    width: canvas.width,
    height: canvas.height,
    *start() {
      y = 0;
      yield* rows.start();
    },
    *next() {
      const isInside = y >= top && y < top + height;
      y += 1;
      if (!isInside) {
        // The consumer may have modified the row that it was given before.
        clear.fill(0);
        return clear;
      }
      row.fill(0);
      row.set(yield* rows.next(), bytesPerRasterPixel * left);
      return row;
    },
    end: () => rows.end(),
  };
}
