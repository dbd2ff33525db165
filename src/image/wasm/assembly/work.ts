/**
 * How long a kernel has worked since its last pause, as predicted: clocks stand still while a Worker computes. Long work
 * is a function that returns `unfinished` once a pause is due, and goes on when it is called again.
 */

/** Returned in place of a result, which is never that. */
export const unfinished: i32 = -1;

/** Predicted milliseconds after which a pause is due. */
export const stretchMs: i32 = 8;

/** Predicted nanoseconds since the last pause. */
let spent: u32 = 0;

/** Adds the predicted time of a step. */
export function spend(nanoseconds: u32): void {
  spent += nanoseconds;
}

/** Returns the predicted nanoseconds since the last pause, which the host counts from now on. */
export function takeSpent(): u32 {
  const nanoseconds = spent;
  spent = 0;
  return nanoseconds;
}

/** Whether a pause is due. */
export function isDue(): bool {
  return spent >= <u32>stretchMs * 1_000_000;
}

/** Begins to count again if a pause is due; returns whether it is. */
export function pauses(): bool {
  if (!isDue()) return false;
  spent = 0;
  return true;
}
