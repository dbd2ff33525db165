import { arena } from './codecs/runtime.ts';
import { MemoryLedger, type Peak } from './memory-ledger.ts';

const mebibyte = 1024 * 1024;

/**
 * Everything that this isolate may hold for images at one moment: the arena,
 * bodies on their way in and out, rasters. An isolate has 128 MB in all; the
 * rest is the runtime's, the code's and the collector's.
 */
export const memoryBudget = 96 * mebibyte;

/**
 * Always counted: what serving a picture takes beside what is held for it. Chunks and pieces of bodies
 * on their way, views and numbers that wait for the collector, what compiling and an allocator's units
 * round up to. Measured in workerd by `npm run bench -- --only memory`: 2 to 3 MiB whatever the picture's
 * size, and 5 where code gets hot in the same request (an AVIF that becomes a PNG with a palette).
 */
export const servingBytes = 6 * mebibyte;

/**
 * What the arena may grow to. It never shrinks, so what it leaves is all that
 * bodies and rasters can count on for the rest of the isolate's life: 32 MiB,
 * the largest body that is taken.
 */
export const arenaCeiling = 58 * mebibyte;

/** What is left for the file, its raster and the result, however far the arena has grown. */
export const buffersLimit = memoryBudget - servingBytes - arenaCeiling;

/** The ledger of this isolate. */
export const ledger = new MemoryLedger(memoryBudget, arena, servingBytes);

/**
 * Whether a step fits in any isolate that does nothing else and holds the file
 * itself, one whose arena has grown to its ceiling included.
 */
export function fitsAlone({ arena: needed, buffers }: Peak, fileBytes: number): boolean {
  return needed <= arenaCeiling && buffers + fileBytes <= buffersLimit;
}
