/** The worker thread of `Scorers`. */
import { parentPort } from 'node:worker_threads';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { likeness } from './likeness.ts';

/** The outcome of a comparison: a score, null for pictures too small to be scored, or the reason of a failure. */
export type Answer = { readonly score: number | null } | { readonly reason: string };

parentPort?.on('message', ({ original, coded }: { original: Raster; coded: Raster }) => {
  parentPort?.postMessage(answerTo(original, coded));
});
parentPort?.postMessage('ready');

function answerTo(original: Raster, coded: Raster): Answer {
  try {
    return { score: likeness(original, coded) ?? null };
  } catch (error) {
    return { reason: String(error) };
  }
}
