import { createPool, ImageError, LoadingError, type Optimized, type Pool } from 'fewerbytes/pool';
import { simd } from 'wasm-feature-detect';
import { type Failure, ownFailure } from '../api/failure.ts';
import { changedFileFailure, maxApiBytes } from './chosen-files.ts';
import { inFormWords } from './form-words.ts';
import type { Outcome, Run, Workshop } from './job-store.ts';
import { optimizeOptionsOf } from './options.ts';
import { isLong, Pace } from './pace.ts';
import { resultFrom } from './result.ts';

// Images are optimized by threads of this page; they do not leave the device.

/** What the API has for an image, in bytes. With the same, an engine makes the same bytes. */
const apiMemory = 96 * 2 ** 20;

/** What an image that is too large for the API may take, in milliseconds: an hour. */
const maxCpuMs = 3_600_000;

/** As many threads as the device has cores and memory for. They are opened when there is work for them. */
const { size } = createPool();
const likeApi = createPool({ size, memory: size * apiMemory });

/** Has the memory of all others together for an image that is too large for the API; null while there is none. */
let spacious: Pool | null = null;
let largeImages = 0;

const pace = new Pace(() => performance.now());

/** The visitor's device. */
export const device: Workshop = {
  concurrency: size,
  async optimize(file, query, how) {
    try {
      return await optimizeHere(file, query, how);
    } catch (error) {
      if (how.signal.aborted) return { kind: 'aborted' };
      return { kind: 'failed', failure: failureOf(error) };
    }
  },
};

async function optimizeHere(file: File, query: string, how: Run): Promise<Outcome> {
  if (!isRecent || !(await simd())) return { kind: 'failed', failure: oldBrowserFailure };
  const changed = await changedFileFailure(file);
  if (changed) return { kind: 'failed', failure: changed };
  const work = { file, query, image: new Uint8Array(await file.arrayBuffer()), how };
  try {
    const isForApi = file.size <= maxApiBytes;
    return await workIn(likeApi, work, isForApi ? null : 'It takes files of up to 32 MiB.');
  } catch (error) {
    if (!(error instanceof ImageError && error.isTooLarge)) throw error;
    return await inSpaciousPool((pool) => workIn(pool, work, error.detail));
  }
}

/** @param apiRefusal why the API would not do this; null if it would */
async function workIn(
  pool: Pool,
  { file, query, image, how }: { file: File; query: string; image: Uint8Array; how: Run },
  apiRefusal: string | null,
): Promise<Outcome> {
  const { signal, onProgress, isPatient } = how;
  const options = optimizeOptionsOf(query);
  const { cpuMs } = await pool.plan(image, options);
  signal.throwIfAborted();
  const seconds = pace.secondsFor(cpuMs);
  if (isLong(seconds) && !isPatient) {
    return { kind: 'long', seconds, isForApi: apiRefusal === null };
  }
  const measured = pace.begin(cpuMs);
  const optimized: Optimized = await pool.optimize(image, options, {
    signal,
    onProgress(share) {
      measured.progress(share);
      onProgress(share);
    },
  });
  measured.end();
  return { kind: 'done', result: resultFrom(optimized, file, apiRefusal) };
}

/** Does work in the pool with more memory, which is given back afterwards. */
async function inSpaciousPool<Made>(work: (pool: Pool) => Promise<Made>): Promise<Made> {
  spacious ??= createPool({ size: 1, maxCpuMs });
  largeImages += 1;
  try {
    return await work(spacious);
  } finally {
    largeImages -= 1;
    if (largeImages === 0) {
      void spacious.close();
      spacious = null;
    }
  }
}

/** Whether the browser has the latest part of JavaScript that the engine needs. */
const isRecent = 'toSorted' in Array.prototype;

const oldBrowserFailure = ownFailure(
  'old_browser',
  'This browser is too old to do it. Chrome 110, Edge 110, Firefox 115, Safari 16.4 and later can.',
);

function failureOf(error: unknown): Failure {
  if (error instanceof ImageError) {
    const { code, detail, members } = error;
    const smallest = members.smallest_bytes as number | undefined;
    return inFormWords({
      ...ownFailure(code, detail),
      ...(smallest !== undefined && { smallestBytes: smallest }),
    });
  }
  if (error instanceof LoadingError) {
    return ownFailure(
      'engine_missing',
      'The optimizer couldn’t be loaded. Check your connection, then try again.',
    );
  }
  return ownFailure(
    'crashed',
    'The work on this image broke off. It may need more memory than this device has to spare.',
  );
}
