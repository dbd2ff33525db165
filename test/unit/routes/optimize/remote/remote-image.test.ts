import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchImage } from '../../../../../src/routes/optimize/remote/fetch-image.ts';
import { turns } from '../../../../../src/routes/optimize/scheduler.ts';

const mebibyte = 1024 * 1024;
const rules = { allowHttp: false, privateSources: new Set<string>(), ownHosts: new Set<string>() };

let gone: AbortController;
beforeEach(() => {
  gone = new AbortController();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A body that yields `bytes` per interval in milliseconds, and ends with the signal. */
function drip(signal: AbortSignal, bytes: number, interval: number): ReadableStream {
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      const timer = setInterval(() => controller.enqueue(new Uint8Array(bytes)), interval);
      signal.addEventListener('abort', () => {
        clearInterval(timer);
        controller.error(signal.reason);
      });
    },
  });
}

/** Sets the behavior of the other server; returns the signal of its request once it has arrived. */
function stub(answer: (signal: AbortSignal) => Response | Promise<Response>) {
  const seen: { signal?: AbortSignal } = {};
  vi.stubGlobal('fetch', async (_url: URL, { signal }: { signal: AbortSignal }) => {
    seen.signal = signal;
    return answer(signal);
  });
  return seen;
}

async function fetched() {
  const job = await turns.arrive('mbx_1', gone.signal);
  return fetchImage('https://a.example/b', rules, { job, client: gone.signal }).finally(job.end);
}

async function refusal(): Promise<{ code: string; message: string; members: object }> {
  return fetched().then(
    () => null,
    (reason) => reason,
  );
}

describe('a body from elsewhere', () => {
  it('is held as it came, and the request for it is over', async () => {
    const seen = stub(() => new Response('image'));
    const held = await fetched();
    expect(Buffer.from(held.bytes).toString()).toBe('image');
    held.end();
    expect(seen.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that drips forever is given up after 15 seconds', async () => {
    const seen = stub((signal) => new Response(drip(signal, 1, 1000)));
    let end: Awaited<ReturnType<typeof refusal>> | undefined;
    refusal().then((error) => {
      end = error;
    });
    await vi.advanceTimersByTimeAsync(14_900);
    expect(end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(end).toMatchObject({
      code: 'source_fetch_failed',
      message: expect.stringContaining('15'),
    });
    expect(seen.signal?.aborted).toBe(true);
  });

  it('whose headers do not come is given up after 15 seconds', async () => {
    stub(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const end = refusal();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await end).toMatchObject({
      code: 'source_fetch_failed',
      message: expect.stringContaining('15'),
    });
  });

  it('that stalls is the other server’s doing, not the client’s', async () => {
    stub((signal) => new Response(drip(signal, 1, 60_000)));
    const end = refusal();
    await vi.advanceTimersByTimeAsync(10_500);
    expect(await end).toMatchObject({ code: 'source_fetch_failed' });
  });

  it('is given up when the client has gone', async () => {
    const seen = stub((signal) => new Response(drip(signal, 1, 100)));
    const end = refusal();
    await vi.advanceTimersByTimeAsync(300);
    gone.abort();
    expect(await end).toMatchObject({ code: 'source_fetch_failed' });
    expect(seen.signal?.aborted).toBe(true);
  });

  it.each([
    ['is empty', () => new Response('')],
    ['is not there', () => new Response(null, { status: 204 })],
    ['says that it is empty', () => new Response('', { headers: { 'Content-Length': '0' } })],
    ['is shorter than it says', () => new Response('x', { headers: { 'Content-Length': '2' } })],
  ])('that %s is not fetched', async (_what, answer) => {
    stub(answer);
    expect(await refusal()).toMatchObject({ code: 'source_fetch_failed' });
  });

  it('that says it is too large is not read', async () => {
    const pull = vi.fn();
    const body = new ReadableStream({ type: 'bytes', pull });
    const headers = { 'Content-Length': String(32 * mebibyte + 1) };
    stub(() => new Response(body, { headers }));
    expect(await refusal()).toMatchObject({
      code: 'body_too_large',
      members: { limit_bytes: 32 * mebibyte },
    });
    expect(pull).not.toHaveBeenCalled();
  });

  it('that comes coded is as long as it is decoded', async () => {
    stub(() => {
      const headers = { 'Content-Length': String(40 * mebibyte), 'Content-Encoding': 'gzip' };
      return new Response('decoded', { headers });
    });
    const held = await fetched();
    expect(held.length).toBe(7);
    held.end();
  });
});
