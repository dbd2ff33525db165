import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initSync, resize } from '@jsquash/resize/lib/resize/pkg/squoosh_resize.js';
import sharp from 'sharp';
import { srgbCurves } from '../../../src/image/color/curves.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { resized } from '../../../src/image/pixels/resizer.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A resizer, ours or a peer's. */
interface ResizerPeer {
  readonly name: string;
  reduced(raster: Raster, target: Size): Raster | Promise<Raster>;
}

const build = '@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm';
const { memory } = initSync(await readFile(createRequire(import.meta.url).resolve(build)));

/** Bytes of @jsquash/resize's WebAssembly memory, which never shrinks. */
export function jsquashMemory(): number {
  return memory.buffer.byteLength;
}

/** Index of Lanczos-3 in the package's list of methods. */
const lanczos3 = 3;

export const ours: ResizerPeer = {
  name: 'ours',
  reduced: (raster, target) => resized(raster, wholeOf(raster), target, srgbCurves),
};

export const peers: readonly ResizerPeer[] = [
  { name: '@jsquash/resize', reduced: reducedByJsquash },
  {
    name: 'sharp',
    async reduced({ width, height, data }, target) {
      const picture = sharp(data, { raw: { width, height, channels: 4 } });
      const reduced = picture.resize({ ...target, kernel: 'lanczos3', fit: 'fill' });
      return { ...target, data: new Uint8ClampedArray(await reduced.raw().toBuffer()) };
    },
  },
];

/** @jsquash/resize with its defaults: premultiplied alpha, in linear light. */
export function reducedByJsquash({ data, width, height }: Raster, target: Size): Raster {
  const pixels = new Uint8Array(data.buffer, data.byteOffset, data.length);
  const size = [width, height, target.width, target.height] as const;
  const result = resize(pixels, ...size, lanczos3, true, true);
  return { ...target, data: new Uint8ClampedArray(result) };
}

export function wholeOf({ width, height }: Size) {
  return { left: 0, top: 0, width, height };
}
