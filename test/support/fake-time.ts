import { afterEach, beforeEach, vi } from 'vitest';

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
