import { sizeChangeText } from '../../text/formatting.ts';
import type { Answer } from '../api/failure.ts';
import type { Figures, KeyRecord, Statistics } from '../api/wire.ts';

/** The first image of a key, as sums over the images that have arrived; `none` if there was none within ten minutes. */
export type FirstImage = Pick<Figures, 'files' | 'bytes_in' | 'bytes_out'> | 'none';

/** Milliseconds between two requests. */
const interval = 5_000;

/** Maximum number of milliseconds between two requests after failures, unless the service asks for a longer wait. */
const maxInterval = 60_000;

/** Milliseconds after which waiting ends. */
const maxWait = 600_000;

/** Failures that a retry cannot fix. */
const permanentFailures: ReadonlySet<string> = new Set(['auth_required', 'key_not_found']);

/** The parts of the page that waiting depends on. */
interface Page {
  readonly ask: () => Promise<Answer<Pick<Statistics, 'totals'>>>;
  readonly isVisible: () => boolean;
  /** Settles when the page becomes visible, or the signal is aborted. */
  readonly untilVisible: (signal: AbortSignal) => Promise<void>;
}

/**
 * Polls the statistics of a key until it has optimized an image, the signal is aborted, or ten minutes have passed. It
 * does not poll while the page is hidden, and polls less often after failures.
 */
export async function firstImage(page: Page, signal: AbortSignal): Promise<FirstImage> {
  const giveUpAt = Date.now() + maxWait;
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
      if (permanentFailures.has(answer.failure.code)) return 'none';
      failures += 1;
    }
    const retryAfter = answer.kind === 'failed' ? answer.failure.retryAfter : null;
    await pause(nextInterval(failures, retryAfter), signal);
  }
  return 'none';
}

/** Milliseconds until the next request, after a number of consecutive failures. */
export function nextInterval(failures: number, retryAfter: number | null): number {
  const backedOff = Math.min(interval * 2 ** failures, maxInterval);
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

/** Milliseconds after its creation during which a key counts as new. */
const setUpTime = 3_600_000;

/** Whether a key was created so recently that someone is likely to be setting it up. */
export function isNew({ created_at }: Pick<KeyRecord, 'created_at'>, now: number): boolean {
  return now - Date.parse(created_at) <= setUpTime;
}

/** For example, `Your first image arrived: 465 → 135 KB`. */
export function arrivalText({ files, bytes_in, bytes_out }: Exclude<FirstImage, 'none'>): string {
  const what = files === 1 ? 'Your first image arrived' : `Your first ${files} images arrived`;
  return `${what}: ${sizeChangeText(bytes_in, bytes_out)}`;
}
