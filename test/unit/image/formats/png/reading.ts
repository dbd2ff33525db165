import type { PngInspection } from '../../../../../src/image/formats/png/inspect.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { readPngRows } from '../../../../support/rows.ts';

/** The result of `inspect` for a PNG; null if it refuses the file. */
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
    // The kernel must not trap on any input.
    const isTrap = error instanceof CodecError && error.cause instanceof WebAssembly.RuntimeError;
    if (!(error instanceof CodecError) || isTrap) throw error;
    return null;
  }
}

/** RGBA, `damaged`, or `refused` if `inspect` rejects the file. */
export function read(file: Uint8Array, to8: Uint8Array | null = null) {
  const image = inspection(file);
  if (image === null) return 'refused';
  return readRaster(file, image, to8) ?? 'damaged';
}
