/** One thread of `Scorers`. */
import { parentPort } from 'node:worker_threads';
import type { Raster } from '../../src/image/raster.ts';
import { likeness } from './likeness.ts';

parentPort?.on('message', ({ original, coded }: { original: Raster; coded: Raster }) => {
  parentPort?.postMessage(likeness(original, coded) ?? null);
});
