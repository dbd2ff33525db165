/**
 * Memory of one run. The arena that the kernel runs in is wiped between runs,
 * and the host says before it starts how far it may grow, so there is nothing
 * to free: a pointer moves up, and where it would pass that limit the run gives up.
 * The arena grows no sooner than something is taken: it never shrinks again.
 *
 * How much a run will take is found out by its own allocators: in counting mode
 * they allocate nothing, and what they would have taken is added up.
 */

/** Bytes that the arena may grow to. */
let limit: usize = 0;
/** First byte that nothing has taken. */
let top: usize = 0;
/** Behind the last byte that may have been written without being taken. */
let reached: usize = 0;
/** Whether something has been refused. */
let isExhausted: bool = false;
/** Whether allocations are only added up. */
let isCounting: bool = false;
/** Bytes taken in counting mode, which may be more than an address can name. */
let countedBytes: u64 = 0;
/** Requested bytes, without static data and alignment. */
let askedBytes: u64 = 0;

/**
 * Begins with nothing taken, and the arena as large as it is. Every exported run starts here: globals outlive a
 * run, memory does not.
 */
export function beginMemory(): void {
  limit = (<usize>memory.size()) << 16;
  top = (__heap_base + 15) & ~15;
  reached = 0;
  isExhausted = false;
  isCounting = false;
}

/**
 * Lets the run take so many bytes of the arena, and grow it where it has fewer. Of one that has more, it takes no
 * more either: what a picture becomes does not depend on those before it.
 */
export function limitMemory(bytes: usize): void {
  limit = bytes;
}

/**
 * Begins counting mode. Every allocation succeeds, and all of them get the same address: of what an
 * allocator writes there nothing stays. Rows must not be read or written.
 */
export function beginCounting(): void {
  beginMemory();
  isCounting = true;
  countedBytes = top;
  askedBytes = 0;
}

/** Bytes that a run would take with the allocations since `beginCounting`, statics included. */
export function counted(): f64 {
  return <f64>countedBytes;
}

/** Bytes that were asked for since `beginCounting`: without statics, and without what aligning adds. */
export function asked(): f64 {
  return <f64>askedBytes;
}

/**
 * @param bytes of zeros, as the arena has been wiped
 * @returns a pointer aligned to 16, or 0 where there is no room
 */
export function allocate(bytes: usize): usize {
  return allocateLarge(bytes);
}

/** Allocates as `allocate` does, also where the bytes may be more than an address can name. */
export function allocateLarge(bytes: u64): usize {
  const at = top;
  if (isCounting) {
    countedBytes += (bytes + 15) & ~(<u64>15);
    askedBytes += bytes;
    return at;
  }
  if (bytes > <u64>room() || !extendTo(at + <usize>bytes)) {
    isExhausted = true;
    return 0;
  }
  top = (at + <usize>bytes + 15) & ~15;
  return at;
}

/** In pages, so that the arena does not grow for every little thing: 1 MiB. */
const growth: usize = 16;
/** What wide loads and stores may reach beyond the end of a row, at most. */
const reachBytes: usize = 64;

/**
 * Makes sure that the arena reaches to `end`, which may be behind what is taken; false if it may not. Whoever writes
 * what is not taken yet asks for it here.
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
 * Takes back all that was allocated from `at` on, for a run that goes another
 * way, and wipes it: what is allocated is zeros.
 */
export function release(at: usize): void {
  memory.fill(at, 0, top - at);
  top = at;
}

/** Bytes that can still be taken. */
export function room(): usize {
  if (isCounting) return i32.MAX_VALUE;
  return limit > top ? limit - top : 0;
}

/** Notes that bytes up to `end` may be written, though they are not taken. */
export function reach(end: usize): void {
  reached = max(reached, end);
}

/** Behind the last byte that the run may have written: everything from there on is zeros. */
export function written(): usize {
  return max(reached, top);
}

/** Whether anything was refused since the beginning. */
export function exhausted(): bool {
  return isExhausted;
}

/** Bytes taken, statics included: what a run needs of the arena. */
export function taken(): usize {
  return top;
}
