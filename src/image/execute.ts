import { readMetadata } from './containers/read-metadata.ts';
import { runOriginal } from './engines/original.ts';
import { runOxipng } from './engines/oxipng.ts';
import { PreparedPixels } from './engines/prepared-pixels.ts';
import type { Produced } from './engines/produced.ts';
import { runRaster } from './engines/raster.ts';
import { finish, type Keeping } from './finish.ts';
import type { Job } from './jobs/job.ts';
import { ledger } from './memory.ts';
import { noMetadata } from './metadata/metadata.ts';
import type { OptimizeOptions } from './options.ts';
import type { Candidate } from './plan.ts';
import { damaged, type Refusal } from './refusal.ts';
import { advantage, type Result, resultOf } from './result.ts';
import type { Source } from './source.ts';

/**
 * Tries the candidates one after the other and keeps the smallest, compared
 * as they would be sent. Does not yield: what the ledger says at the start
 * holds until the end.
 */
export function execute(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly Candidate[],
  { level, releaseFile }: Terms,
): Result | Refusal {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  const pixels = new PreparedPixels(file, source);
  const keeping = { level, metadata };
  // metadata are parts of the file, not copies
  const release = level === 'none' ? releaseFile : () => {};
  try {
    return smallest(file, source, candidates, { pixels, keeping, release });
  } finally {
    pixels.end();
  }
}

interface Terms {
  readonly level: OptimizeOptions['metadata'];
  /** Gives the file's memory back; called as soon as nothing needs it any more. */
  releaseFile(): void;
}

interface Work {
  readonly pixels: PreparedPixels;
  readonly keeping: Keeping;
  release(): void;
}

function smallest(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly Candidate[],
  { pixels, keeping, release }: Work,
): Result | Refusal {
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  for (const [i, { type, job, peak }] of candidates.entries()) {
    const held = best?.bytes.length ?? 0;
    if (!makesRoom(peak, held, job, pixels)) return { kind: 'refused', reason: 'overloaded' };
    const rest = candidates.slice(i);
    if (job.engine === 'raster') {
      const prepared = pixels.through(job.pixels);
      if ('kind' in prepared) return prepared;
      if (rest.every((next) => needsOnly(next.job, pixels, file))) release();
    }
    const produced = run(job, file, source, pixels);
    if (produced.kind === 'no-way') {
      refusal = produced.refusal;
      continue;
    }
    // A picture that one candidate finds damaged is not handed on by another that looks less closely.
    if (produced.kind === 'refused') return produced;
    // the finished copy stands beside what was produced
    const copies = held + 2 * produced.bytes.length + pixels.bytes;
    const isNeeded = rest.slice(1).some((next) => needs(next.job, pixels));
    // a released file reads as empty; then there is no other way to these pixels
    const isInTheWay = file.length > 0 && !ledger.makesRoomFor({ arena: 0, buffers: copies });
    if (!isNeeded || isInTheWay) pixels.end();
    const finished = finish(produced.bytes, job, source, keeping);
    if (finished.kind === 'refused') return finished;
    const { bytes, isComplete } = finished;
    // one that had to shed what should have stayed is for when all others grew
    if (best && !isComplete && best.bytes.length <= source.fileBytes) continue;
    if (!best || bytes.length < best.bytes.length * advantage(job, source.image)) {
      best = resultOf(type, job, bytes, source.image);
    }
  }
  return best ?? refusal ?? damaged;
}

/** Makes room for a step beside what is kept; the pixels of an earlier one go if they are in its way. */
function makesRoom(
  { arena, buffers }: Candidate['peak'],
  held: number,
  job: Job,
  pixels: PreparedPixels,
): boolean {
  // a step that needs the same pixels has them in its own account
  const kept = needs(job, pixels) ? 0 : pixels.bytes;
  if (kept > 0 && !ledger.makesRoomFor({ arena, buffers: buffers + held + kept })) pixels.end();
  return ledger.makesRoomFor({ arena, buffers: buffers + held });
}

function needs(job: Job, pixels: PreparedPixels): boolean {
  return job.engine === 'raster' && pixels.has(job.pixels);
}

/** Whether a job could do without the file: neither more pixels nor a profile that lies in it. */
function needsOnly(job: Job, pixels: PreparedPixels, { buffer }: Uint8Array): boolean {
  return needs(job, pixels) && job.engine === 'raster' && job.icc?.buffer !== buffer;
}

function run(
  job: Job,
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  pixels: PreparedPixels,
): Produced {
  switch (job.engine) {
    case 'raster':
      return runRaster(pixels, source, job);
    case 'oxipng':
      return runOxipng(file, source, job);
    case 'original':
      return runOriginal(file, source, job);
  }
}
