import { setTimeout as pause } from 'node:timers/promises';

/** Repeats a check until it holds, five seconds at most; for what is done after the answer. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + 5000; ; await pause(50)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
