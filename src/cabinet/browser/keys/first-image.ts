import { sizeChangeText } from '../../text/formatting.ts';
import type { Answer } from '../api/failure.ts';
import type { Figures, KeyRecord, Statistics } from '../api/wire.ts';

/** How the wait for the first image of a key ended; nothing came in ten minutes. */
export type FirstImage = Pick<Figures, 'files' | 'bytes_in' | 'bytes_out'> | 'none';

/** Milliseconds between two questions. */
const interval = 5_000;

/** Milliseconds between two questions while the service refuses them, at most, unless it says more. */
const longestInterval = 60_000;

/** Milliseconds until the wait is given up. */
const patience = 600_000;

/** Failures that asking again does not mend. */
const final: ReadonlySet<string> = new Set(['auth_required', 'key_not_found']);

/** What the wait needs to know of the page. */
interface Page {
  readonly ask: () => Promise<Answer<Pick<Statistics, 'totals'>>>;
  readonly isVisible: () => boolean;
  /** Settles when the page can be seen again, or the signal is given. */
  readonly untilVisible: (signal: AbortSignal) => Promise<void>;
}

/**
 * Asks for the statistics of a key until it has optimized something, the signal is given, or ten minutes are over.
 * Nothing is asked while nobody sees the page; failures make it ask less often.
 */
export async function firstImage(page: Page, signal: AbortSignal): Promise<FirstImage> {
  const giveUpAt = Date.now() + patience;
  let failures = 0;
  while (!signal.aborted && Date.now() < giveUpAt) {
    if (!page.isVisible()) {
      await page.untilVisible(signal);
      continue;
    }
    const answer = await page.ask();
    if (answer.kind === 'ok') {
      const { files, bytes_in, bytes_out } = answer.body.totals;
      if (files > 0) return { files, bytes_in, bytes_out };
      failures = 0;
    } else {
      if (final.has(answer.failure.code)) return 'none';
      failures += 1;
    }
    const retryAfter = answer.kind === 'failed' ? answer.failure.retryAfter : null;
    await pause(nextInterval(failures, retryAfter), signal);
  }
  return 'none';
}

/** Milliseconds until the next question, after so many failures in a row. */
export function nextInterval(failures: number, retryAfter: number | null): number {
  const backedOff = Math.min(interval * 2 ** failures, longestInterval);
  return Math.max(backedOff, (retryAfter ?? 0) * 1000);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Milliseconds after its creation in which the first image of a key is waited for. */
const setUpTime = 3_600_000;

/** Whether a key was created so recently that someone is likely to be setting it up. */
export function isNew({ created_at }: Pick<KeyRecord, 'created_at'>, now: number): boolean {
  return now - Date.parse(created_at) <= setUpTime;
}

/** `Your first image arrived: 465 → 135 KB` */
export function arrivalText({ files, bytes_in, bytes_out }: Exclude<FirstImage, 'none'>): string {
  const what = files === 1 ? 'Your first image arrived' : `Your first ${files} images arrived`;
  return `${what}: ${sizeChangeText(bytes_in, bytes_out)}`;
}
