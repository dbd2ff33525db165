import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

/** Repeats a check until it holds, for up to `limit` milliseconds: long, as what is under way may be waited for on a busy machine. */
export async function eventually(check: () => Promise<void>, limit = 30_000): Promise<void> {
  for (const deadline = Date.now() + limit; ; await pause(50)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** User CPU time in milliseconds that synchronous work takes: unlike its wall time, much the same on a busy machine. */
export function cpuMilliseconds(run: () => void): number {
  const start = process.cpuUsage().user;
  run();
  return (process.cpuUsage().user - start) / 1000;
}

/** Uses fake timers during each test of a file, including those of the platform's `scheduler`. */
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
