/**
 * While a picture is worked on, nothing else happens in the isolate. Answers
 * that are ready get so many milliseconds to leave before the next one starts.
 */
const gap = 10;

let lastAnswer = 0;

/** Waits for a moment to take the thread. */
export async function nextTurn(): Promise<void> {
  while (Date.now() < lastAnswer + gap) await scheduler.wait(gap);
}

/** An answer is ready, and wants to leave. */
export function endTurn(): void {
  lastAnswer = Date.now();
}
