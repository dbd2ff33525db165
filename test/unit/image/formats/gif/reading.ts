import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import {
  type GifFrame,
  type GifInspection,
  gifFrames,
  inspectGif,
} from '../../../../../src/image/formats/gif/reader.ts';
import {
  canvasRowBytes,
  longestRowBytes,
  openCanvasRows,
  openFrameRows,
} from '../../../../../src/image/formats/gif/rows.ts';
import { gathered, type RowSource } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce, type Slices } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';

/** The result of `inspect` for a valid GIF. */
export function inspection(file: Uint8Array): GifInspection {
  const result = inspectGif(viewOf(file));
  if (result.kind !== 'image') throw new Error(JSON.stringify(result));
  return result.image;
}

export function framesOf(file: Uint8Array): GifFrame[] {
  return [...gifFrames(viewOf(file), inspection(file))];
}

/** The canvas of a still GIF as RGBA words. */
export function canvasOf(file: Uint8Array): Uint32Array<ArrayBuffer> {
  const image = inspection(file);
  arena.reserve(canvasRowBytes(image));
  return runAtOnce(openCanvasRows(file, image, arena, words));
}

/** The pixels that a frame draws, as RGBA words. */
export function drawn(file: Uint8Array, frame: GifFrame): Uint32Array<ArrayBuffer> {
  arena.reserve(longestRowBytes(inspection(file)));
  return runAtOnce(openFrameRows(file, frame, arena, words));
}

function* words(rows: RowSource): Slices<Uint32Array<ArrayBuffer>> {
  const { data } = yield* gathered(rows);
  return new Uint32Array(data.buffer);
}

/** The canvas after each frame, as RGBA words. */
export function shownFrames(file: Uint8Array): Uint32Array<ArrayBuffer>[] {
  const { width, height } = inspection(file);
  let canvas = new Uint32Array(width * height);
  return framesOf(file).map((frame) => {
    const { left, top, width: columns, height: rows } = frame.region;
    const before = canvas.slice();
    const pixels = drawn(file, frame);
    for (const [i, word] of pixels.entries()) {
      const at = (top + Math.floor(i / columns)) * width + left + (i % columns);
      if (word !== 0) canvas[at] = word;
    }
    const shown = canvas.slice();
    if (frame.disposal === 'previous') canvas = before;
    if (frame.disposal === 'background') {
      for (let y = top; y < top + rows; y += 1) {
        canvas.fill(0, y * width + left, y * width + left + columns);
      }
    }
    return shown;
  });
}
