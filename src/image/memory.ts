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
 * What the arena may grow to. It never shrinks, so what it leaves is all that
 * bodies and rasters can count on for the rest of the isolate's life: 32 MiB,
 * the largest body that is taken.
 */
export const arenaCeiling = 64 * mebibyte;

/** What is left for the file, its raster and the result, however far the arena has grown. */
export const buffersLimit = memoryBudget - arenaCeiling;

/** The ledger of this isolate. */
export const ledger = new MemoryLedger(memoryBudget, arena);

/**
 * Whether a step fits in any isolate that does nothing else and holds the file
 * itself, one whose arena has grown to its ceiling included.
 */
export function fitsAlone({ arena: needed, buffers }: Peak, fileBytes: number): boolean {
  return needed <= arenaCeiling && buffers + fileBytes <= buffersLimit;
}
