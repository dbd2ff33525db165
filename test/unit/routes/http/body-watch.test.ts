import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyWatch } from '../../../../src/routes/http/body-reader.ts';
import { overloaded } from '../../../../src/routes/http/rate-limit.ts';
import { lostConnection } from '../../../support/lost-connection.ts';

const kibibyte = 1024;

let watch: BodyWatch;
beforeEach(() => {
  vi.useFakeTimers();
  watch = new BodyWatch();
  watch.start();
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

function arrive(bytes: number) {
  return watch.next(Promise.resolve({ value: new Uint8Array(bytes), done: false }));
}

/** The error code with which a read that gets no bytes ends. */
function waiting(): Promise<string> {
  return watch.next(new Promise<never>(() => {})).then(
    () => 'arrived',
    (error) => error.code,
  );
}

describe('a body on its way', () => {
  it('is slow when two seconds have brought less than 64 KiB', async () => {
    await arrive(1000);
    await vi.advanceTimersByTimeAsync(1999);
    expect(watch.isSlow(0)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(watch.isSlow(0)).toBe(true);
    await arrive(64 * kibibyte - 1001);
    expect(watch.isSlow(0)).toBe(true);
    await arrive(1);
    expect(watch.isSlow(0)).toBe(false);
  });

  it('has to be faster the more room it takes, so that it comes within two minutes', async () => {
    const room = 30 * kibibyte * kibibyte;
    for (let i = 0; i < 4; i += 1) {
      await arrive(room / 240 - 1);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(watch.isSlow(room / 2)).toBe(false);
    expect(watch.isSlow(room)).toBe(true);
    await arrive(4);
    expect(watch.isSlow(room)).toBe(false);
  });

  it('is not slow because nothing was read for long while a picture was worked on', async () => {
    await arrive(64 * kibibyte);
    vi.setSystemTime(Date.now() + 20_000);
    await vi.advanceTimersByTimeAsync(500);
    expect(watch.isSlow(0)).toBe(false);
  });

  it('is not slow any more when it is complete', async () => {
    await vi.advanceTimersByTimeAsync(2000);
    expect(watch.isSlow(0)).toBe(true);
    watch.stop();
    expect(watch.isSlow(0)).toBe(false);
  });

  it('is given up after ten seconds without a byte', async () => {
    await vi.advanceTimersByTimeAsync(9000);
    await arrive(1);
    let end: string | undefined;
    waiting().then((code) => {
      end = code;
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(500);
    expect(end).toBe('request_timeout');
  });

  it('is given up after two minutes, however steadily it trickles', async () => {
    for (let second = 0; second < 119; second += 1) {
      await arrive(10);
      await vi.advanceTimersByTimeAsync(1000);
    }
    await arrive(10);
    const end = waiting();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await end).toBe('request_timeout');
  });

  it('that has to make way ends with that error, whether or not more of it comes', async () => {
    const end = waiting();
    watch.giveUp(overloaded());
    await vi.advanceTimersByTimeAsync(500);
    expect(await end).toBe('overloaded');
    await expect(arrive(10)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('that breaks off is said to be incomplete', async () => {
    const broken = watch.next(Promise.reject(lostConnection()));
    await expect(broken).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that cannot be read for another reason says so', async () => {
    const foreign = new Error('Cannot perform I/O on behalf of a different request.');
    await expect(watch.next(Promise.reject(foreign))).rejects.toBe(foreign);
  });
});
