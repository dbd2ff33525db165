import type { PngInspection } from '../../../../../src/image/formats/png/inspect.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { readPngRows } from '../../../../support/rows.ts';

/** What `inspect` says of a PNG; null if it does not let the file through. */
export function inspection(file: Uint8Array): PngInspection | null {
  const result = inspect(file);
  return result.kind === 'image' && result.image.type === 'png' ? result.image : null;
}

/** RGBA, or null if the file is damaged. */
export function readRaster(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null = null,
): Uint8ClampedArray | null {
  let data = new Uint8ClampedArray(0);
  let at = 0;
  try {
    readPngRows(file, image, to8, (row) => {
      if (at === 0) data = new Uint8ClampedArray(row.length * image.height);
      data.set(row, at);
      at += row.length;
    });
    return data;
  } catch (error) {
    // the kernel does not trap, whatever it is given
    const isTrap = error instanceof CodecError && error.cause instanceof WebAssembly.RuntimeError;
    if (!(error instanceof CodecError) || isTrap) throw error;
    return null;
  }
}

/** RGBA, `damaged`, or `refused` when `inspect` stops the file before. */
export function read(file: Uint8Array, to8: Uint8Array | null = null) {
  const image = inspection(file);
  if (image === null) return 'refused';
  return readRaster(file, image, to8) ?? 'damaged';
}
