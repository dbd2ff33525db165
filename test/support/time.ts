import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

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

/** Timers move when they are told to, during each test of a file: those of the platform's `scheduler` too. */
export function fakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    const wait = (milliseconds: number) => new Promise((woken) => setTimeout(woken, milliseconds));
    vi.stubGlobal('scheduler', { wait });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}
