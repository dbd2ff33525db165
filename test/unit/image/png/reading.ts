import { inspect } from '../../../../src/image/inspect/inspect.ts';
import type { PngInspection } from '../../../../src/image/inspect/inspection.ts';
import { readPng } from '../../../../src/image/png/read-png.ts';

/** What `inspect` says of a PNG; null when it does not let the file through. */
export function inspection(file: Uint8Array): PngInspection | null {
  const result = inspect(file);
  return result.kind === 'image' && result.image.type === 'png' ? result.image : null;
}

/** RGBA, `damaged`, or `refused` when `inspect` stops the file before. */
export function read(file: Uint8Array, to8: Uint8Array | null = null) {
  const image = inspection(file);
  if (image === null) return 'refused';
  return readPng(file, image, to8)?.data ?? 'damaged';
}
