/**
 * Bump allocator for one run. The arena is wiped between runs, and the host sets its limit in advance, so nothing has
 * to be freed; allocations beyond the limit fail. The arena grows only when memory is allocated, because it never
 * shrinks.
 *
 * The memory of a run can be predicted by its own allocations: in counting mode, they are only summed.
 */

/** Maximum size of the arena in bytes. */
let limit: usize = 0;
/** End of the allocated memory. */
let top: usize = 0;
/** End of the memory that may have been written without being allocated. */
let reached: usize = 0;
/** Whether allocations are only summed. */
let isCounting: bool = false;
/** Bytes allocated in counting mode, which may exceed the address space. */
let countedBytes: u64 = 0;
/** Requested bytes, without static data and alignment. */
let askedBytes: u64 = 0;

/**
 * Starts without allocations, limited to the current size of the arena. Each run must start here, because globals
 * outlive a run, while memory does not.
 */
export function beginMemory(): void {
  limit = (<usize>memory.size()) << 16;
  top = (__heap_base + 15) & ~15;
  reached = 0;
  isCounting = false;
}

/**
 * Limits the run to this many bytes, up to which the arena may grow. The limit also applies if the arena is larger, so
 * that results do not depend on earlier pictures.
 */
export function limitMemory(bytes: usize): void {
  limit = bytes;
}

/**
 * Starts counting mode. All allocations succeed and return the same address, so data written there is not kept. Rows
 * must not be read or written.
 */
export function beginCounting(): void {
  beginMemory();
  isCounting = true;
  countedBytes = top;
  askedBytes = 0;
}

/** Bytes of a run with the allocations since `beginCounting`, including static data. */
export function counted(): f64 {
  return <f64>countedBytes;
}

/** Bytes requested since `beginCounting`, without static data and alignment. */
export function asked(): f64 {
  return <f64>askedBytes;
}

/**
 * Allocates zeroed memory.
 * @returns a pointer aligned to 16; 0 if there is no memory
 */
export function allocate(bytes: usize): usize {
  return allocateLarge(bytes);
}

/** Like `allocate`, for sizes that may exceed the address space. */
export function allocateLarge(bytes: u64): usize {
  const at = top;
  if (isCounting) {
    countedBytes += (bytes + 15) & ~(<u64>15);
    askedBytes += bytes;
    return at;
  }
  if (bytes > <u64>room() || !extendTo(at + <usize>bytes)) return 0;
  top = (at + <usize>bytes + 15) & ~15;
  return at;
}

/** Minimum growth of the arena in pages: 1 MiB. */
const growth: usize = 16;
/** Maximum bytes that wide loads and stores may access beyond the end of a row. */
const reachBytes: usize = 64;

/**
 * Ensures that the arena reaches to `end`, and returns false if it cannot. Must be called before writing memory that is
 * not allocated.
 */
export function extendTo(end: usize): bool {
  if (isCounting) return true;
  if (end > limit) return false;
  const held = (<usize>memory.size()) << 16;
  if (end + reachBytes <= held) return true;
  const wanted = max((end + reachBytes - held + 0xffff) >> 16, growth);
  const most = max(limit, held) - held;
  if (most > 0) memory.grow(<i32>min(wanted, most >> 16));
  return end <= (<usize>memory.size()) << 16;
}

/**
 * Frees and wipes everything that was allocated from `at` on.
 */
export function release(at: usize): void {
  memory.fill(at, 0, top - at);
  top = at;
}

/** Number of bytes that can still be allocated. */
export function room(): usize {
  if (isCounting) return i32.MAX_VALUE;
  return limit > top ? limit - top : 0;
}

/** Records that bytes up to `end` may be written without being allocated. */
export function reach(end: usize): void {
  reached = max(reached, end);
}

/** End of the memory that the run may have written; everything after it is zero. */
export function written(): usize {
  return max(reached, top);
}

/** End of the allocated memory, including static data: the bytes that the run needs. */
export function taken(): usize {
  return top;
}
