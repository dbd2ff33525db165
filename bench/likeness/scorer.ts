/** One thread of `Scorers`. */
import { parentPort } from 'node:worker_threads';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { likeness } from './likeness.ts';

/** What comes of two pictures: a score, null for those too small to have one, or why there is none. */
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
