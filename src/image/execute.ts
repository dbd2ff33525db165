import { runOriginal } from './engines/original.ts';
import { runOxipng } from './engines/oxipng.ts';
import { runRaster } from './engines/raster.ts';
import { finish } from './finish.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import type { Job } from './jobs.ts';
import { ledger } from './memory.ts';
import type { Quality } from './options.ts';
import type { Candidate } from './plan.ts';
import { damaged, type Refusal } from './refusal.ts';
import type { Source } from './source.ts';

/** The smallest picture that the candidates came to. */
export interface Result {
  readonly kind: 'result';
  readonly type: ImageType;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Quality | 'original';
}

/**
 * Tries the candidates one after the other and keeps the smallest, compared
 * as they would be sent. Does not yield: what the ledger says at the start
 * holds until the end.
 */
export function execute(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly Candidate[],
): Result | Refusal {
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  for (const { type, job, peak } of candidates) {
    const buffers = peak.buffers + (best?.bytes.length ?? 0);
    if (!ledger.makesRoomFor({ arena: peak.arena, buffers }))
      return { kind: 'refused', reason: 'overloaded' };
    const produced = run(job, file, source);
    if (produced.kind === 'no-way') {
      refusal = produced.refusal;
      continue;
    }
    // A picture that one candidate finds damaged is not handed on by another that looks less closely.
    if (produced.kind === 'refused') return produced;
    const finished = finish(type, produced.bytes, job, source);
    if ('kind' in finished) return finished;
    if (!best || finished.length < best.bytes.length * advantage(job, source.image)) {
      best = { kind: 'result', type, bytes: finished, quality: qualityOf(job) };
    }
  }
  return best ?? refusal ?? damaged;
}

function run(job: Job, file: Uint8Array<ArrayBuffer>, { image }: Source) {
  switch (job.engine) {
    case 'raster':
      return runRaster(file, image, job);
    case 'oxipng':
      return runOxipng(file, image, job);
    case 'original':
      return runOriginal(file, image, job);
  }
}

function qualityOf(job: Job): Quality | 'original' {
  switch (job.engine) {
    case 'raster':
      return job.type === 'png' ? 'lossless' : job.quality;
    case 'oxipng':
      return 'lossless';
    case 'original':
      return 'original';
  }
}

/**
 * How much larger than a new coding the original may be and still be sent.
 * Coding again costs a little quality each time; for next to nothing it is not
 * worth it. How good a lossy WebP or AVIF once was cannot be told from its
 * header, so there a new coding has to save a tenth.
 */
function advantage(job: Job, { type }: Inspection): number {
  if (job.engine !== 'original' || type === 'png') return 1;
  return type === 'jpeg' ? 1 / 0.99 : 1 / 0.9;
}
