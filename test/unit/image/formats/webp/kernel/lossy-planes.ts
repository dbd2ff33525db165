import { expect } from 'vitest';
import { runWebpKernel } from '../../../../../../src/image/formats/webp/kernel.ts';
import { webpRowBytes } from '../../../../../../src/image/formats/webp/rows.ts';
import { runAtOnce } from '../../../../../../src/image/slices.ts';
import { arena } from '../../../../../../src/image/wasm/arena.ts';
import { inspection } from '../reading.ts';

/** Samples as they are coded, each plane by rows. */
export interface Planes {
  readonly y: Uint8Array[];
  readonly u: Uint8Array[];
  readonly v: Uint8Array[];
}

/** Decodes the samples of a lossy file. */
export function planesOf(file: Uint8Array): Planes {
  const { picture } = inspection(file);
  const { width, height, color } = picture;
  const { offset, length } = color.range;
  const half = (width + 1) >> 1;
  arena.reserve(webpRowBytes(picture) + 2 * width + 2);
  const work = runWebpKernel(file, function* (kernel) {
    const planes: Planes = { y: [], u: [], v: [] };
    kernel.allocateLossy(width, height);
    const at = kernel.allocate(2 * width + 2);
    kernel.startLossy(offset, offset + length);
    for (let row = 0; row < height; row++) {
      expect(kernel.nextLossySamples(at)).toBe(0);
      planes.y.push(kernel.bytes.slice(at, at + width));
      if (row % 2 === 1) continue;
      planes.u.push(kernel.bytes.slice(at + width, at + width + half));
      planes.v.push(kernel.bytes.slice(at + width + half, at + width + 2 * half));
    }
    expect(kernel.nextLossySamples(at)).not.toBe(0);
    return planes;
  });
  return runAtOnce(work);
}
