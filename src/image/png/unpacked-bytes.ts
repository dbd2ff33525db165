import { runPngKernel } from './kernel.ts';

/**
 * How many bytes a zlib stream unpacks to, counted in the memory of a window: up to its end or damage,
 * and no further than to `limit`; 0 for what is no zlib stream. It runs in the arena, as codecs do.
 */
export function unpackedBytes(stream: Uint8Array, limit: number): number {
  let at = 0;
  const data = {
    read(_cursor: number, target: Uint8Array): number {
      const part = stream.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    fork(): void {
      at = 0;
    },
  };
  return runPngKernel(data, (kernel) => kernel.unpackedBytes(limit));
}
