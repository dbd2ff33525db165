const mebibyte = 1024 * 1024;

/** What an engine may use. */
export interface Budgets {
  /** Bytes that it may hold at any moment: the arenas, files being received or sent, rasters. At least 96 MiB. */
  readonly memory: number;
  /** Maximum predicted CPU time of the work on an image, in milliseconds. */
  readonly maxCpuMs: number;
}

/**
 * Those of Cloudflare Workers. An isolate has 128 MB in total; the rest is for the runtime, the code and garbage. The CPU
 * time is a third of the platform's limit (`limits.cpu_ms` in wrangler.toml), because predictions are usually accurate
 * within a factor of two.
 */
export const workersBudgets: Budgets = { memory: 96 * mebibyte, maxCpuMs: 100_000 };

/**
 * Fixed overhead of serving a picture, in addition to what is held for it: chunks of bodies in transit, garbage,
 * compiled code, and rounding by allocators. `npm run bench -- --only memory` measures 2 to 3 MiB in workerd,
 * regardless of the picture's size, and 5 if code is optimized in the same request (an AVIF that becomes a PNG with a
 * palette).
 */
export const servingBytes = 6 * mebibyte;

/** Maximum size of an arena: less than the 2 GiB that the codec builds declare, so that no address is negative. */
const maxArenaBytes = 2047 * mebibyte;

// The budgets in effect, and what follows from them. One work runs at a time, so they change between its slices (`within`).

let current = workersBudgets;

/** See `Budgets.memory`. */
export let memoryBudget = current.memory;

/** See `Budgets.maxCpuMs`. */
export let maxCpuMs = current.maxCpuMs;

/**
 * Maximum size of the side arena: in Workers 6 MiB, enough for the reader of any picture whose coefficients or tiles need
 * not all be in memory, or for a writer that outputs its result piece by piece, of a PNG up to 8,000 pixels wide or of
 * an opaque lossy WebP.
 */
export let sideCeiling = sideShare(memoryBudget);

/**
 * Maximum size of the main arena, in Workers 52 MiB. Arenas never shrink, so the rest is all that bodies and rasters can
 * rely on during the lifetime of an isolate: 32 MiB, the largest accepted body.
 */
export let arenaCeiling = arenaShare(memoryBudget);

/** Bytes left for the file, its raster and the result, even if the arenas have grown to their maximum. */
export let buffersLimit = memoryBudget - servingBytes - arenaCeiling - sideCeiling;

/** Does work within budgets. */
export function within<Result>(budgets: Budgets, work: () => Result): Result {
  const before = current;
  use(budgets);
  try {
    return work();
  } finally {
    use(before);
  }
}

/** Makes these the budgets of everything that is not done `within` others. */
export function use(budgets: Budgets): void {
  if (budgets === current) return;
  current = budgets;
  ({ memory: memoryBudget, maxCpuMs } = budgets);
  sideCeiling = sideShare(memoryBudget);
  arenaCeiling = arenaShare(memoryBudget);
  buffersLimit = memoryBudget - servingBytes - arenaCeiling - sideCeiling;
}

function sideShare(memory: number): number {
  return arenaBytes((6 / 96) * memory);
}

function arenaShare(memory: number): number {
  return arenaBytes((52 / 96) * memory);
}

/** A share as the size of an arena, in whole MiB. */
function arenaBytes(share: number): number {
  return Math.min(Math.floor(share / mebibyte) * mebibyte, maxArenaBytes);
}
