import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../../../src/cabinet/browser/api/failure.ts';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import type { Statistics } from '../../../../../src/cabinet/browser/api/wire.ts';
import {
  arrivalText,
  firstImage,
  isNew,
  nextInterval,
} from '../../../../../src/cabinet/browser/keys/first-image.ts';

type Report = Answer<Pick<Statistics, 'totals'>>;

const nothing = report(0, 0, 0);

function report(files: number, bytes_in: number, bytes_out: number) {
  const totals = { files, bytes_in, bytes_out, bytes_saved: bytes_in - bytes_out };
  return { kind: 'ok', body: { totals } } as const satisfies Report;
}

function refusal(code: string, retryAfter: number | null = null) {
  return { kind: 'failed', failure: { ...ownFailure(code, '…'), retryAfter } } as const;
}

describe('the wait for the first image of a key', () => {
  let stop: AbortController;
  let isVisible: boolean;
  let appear: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    stop = new AbortController();
    isVisible = true;
  });
  afterEach(() => {
    stop.abort();
    vi.useRealTimers();
  });

  const ask = vi.fn<Parameters<typeof firstImage>[0]['ask']>();

  function wait(first: Report = nothing) {
    ask.mockReset().mockResolvedValue(first);
    const page = {
      ask,
      isVisible: () => isVisible,
      untilVisible: () =>
        new Promise<void>((resolve) => {
          appear = resolve;
        }),
    };
    return firstImage(page, stop.signal);
  }

  it('asks every five seconds, and tells what came', async () => {
    const outcome = wait();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(ask).toHaveBeenCalledTimes(3);
    ask.mockResolvedValue(report(1, 465_000, 135_000));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await outcome).toEqual({ files: 1, bytes_in: 465_000, bytes_out: 135_000 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).toHaveBeenCalledTimes(4);
  });

  it('asks nothing while nobody looks, and at once when someone does', async () => {
    isVisible = false;
    void wait();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).not.toHaveBeenCalled();
    isVisible = true;
    appear();
    await vi.advanceTimersByTimeAsync(0);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('is given up after ten minutes', async () => {
    const outcome = wait();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await outcome).toBe('none');
    expect(ask.mock.calls.length).toBeLessThanOrEqual(120);
  });

  it('asks less often while the service refuses, and no sooner than it says', async () => {
    const outcome = wait(refusal('too_many_requests', 45));
    await vi.advanceTimersByTimeAsync(44_000);
    expect(ask).toHaveBeenCalledTimes(1);
    ask.mockResolvedValue(nothing);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ask).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ask).toHaveBeenCalledTimes(3);
    stop.abort();
    expect(await outcome).toBe('none');
  });

  it('ends with the session, and with the page', async () => {
    const outcome = wait(refusal('auth_required'));
    expect(await outcome).toBe('none');

    const other = wait();
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    expect(await other).toBe('none');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

describe('nextInterval', () => {
  it('doubles with each failure up to a minute', () => {
    expect([0, 1, 2, 3, 4, 9].map((failures) => nextInterval(failures, null))).toEqual([
      5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
    ]);
    expect(nextInterval(1, 120)).toBe(120_000);
  });
});

describe('arrivalText', () => {
  it('says how much smaller it became', () => {
    const sizes = { bytes_in: 465_000, bytes_out: 135_000 };
    expect(arrivalText({ files: 1, ...sizes })).toBe('Your first image arrived: 465 → 135 KB');
    expect(arrivalText({ files: 3, ...sizes })).toBe('Your first 3 images arrived: 465 → 135 KB');
  });
});

describe('a key', () => {
  const created_at = '2026-11-20T12:00:00.000Z';
  const afterMinutes = (minutes: number) => Date.parse(created_at) + minutes * 60_000;

  it('is new for an hour', () => {
    expect(isNew({ created_at }, afterMinutes(60))).toBe(true);
    expect(isNew({ created_at }, afterMinutes(61))).toBe(false);
  });

  it('is new though the clock of the browser is behind', () => {
    expect(isNew({ created_at }, afterMinutes(-5))).toBe(true);
  });
});
