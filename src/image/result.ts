import type { Finished } from './engines/produced.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import { uprightSize } from './inspect/upright-size.ts';
import type { Job } from './jobs/job.ts';

/** The smallest picture that the candidates came to. */
export interface Result {
  readonly kind: 'result';
  readonly type: ImageType;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Finished['quality'];
  /** What made it. */
  readonly engine: Job['engine'];
}

/** @param image the source */
export function resultOf(
  type: ImageType,
  job: Job,
  { bytes, quality }: Finished,
  image: Inspection,
): Result {
  return { kind: 'result', type, bytes, ...shownSize(job, image), quality, engine: job.engine };
}

function shownSize(job: Job, image: Inspection): { width: number; height: number } {
  if (job.engine !== 'raster' || !job.pixels.target) return uprightSize(image);
  const { width, height } = job.pixels.target;
  const turn = job.pixels.turn === 1 ? image.orientation : job.pixels.turn;
  return turn >= 5 ? { width: height, height: width } : { width, height };
}

/**
 * How much larger than a new coding the original may be and still be sent.
 * Coding again costs a little quality each time; for next to nothing it is not
 * worth it. How good a lossy WebP or AVIF once was cannot be told from its
 * header, so there a new coding has to save a tenth.
 */
export function advantage(job: Job, { type }: Inspection): number {
  if (job.engine !== 'original' || type === 'png') return 1;
  return type === 'jpeg' ? 1 / 0.99 : 1 / 0.9;
}
