import type { Finished } from '../formats/format.ts';
import { runJpegCoefficients } from '../formats/jpeg/jpeg-coefficients.ts';
import { runPngStream } from '../formats/png/recode.ts';
import { readMetadata } from '../formats/registry.ts';
import type { Keeping } from '../metadata/carried.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { damaged, type Refusal } from '../refusal.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import type { ReleaseFile } from '../wasm/run-in-arena.ts';
import { runRaster } from './encode.ts';
import { finish, type ProducingJob, runOriginal } from './finish.ts';
import type { OptimizeOptions } from './options.ts';
import type { Candidate, Job } from './plan.ts';
import { PreparedPixels } from './prepare-pixels.ts';
import type { Source } from './read-source.ts';
import { advantage, type Produced, type Result, resultOf } from './result.ts';

/**
 * Tries the candidates one after the other and keeps the smallest, compared
 * as they would be sent. Does not yield: what the ledger says at the start
 * holds until the end.
 *
 * @param releaseFile gives the file's memory over, as soon as nothing needs it any more
 */
export function execute(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly Candidate[],
  { level, releaseFile }: { level: OptimizeOptions['metadata']; releaseFile: ReleaseFile },
): Result | Refusal {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  // what is kept of metadata are parts of the file, not copies
  const pixels = new PreparedPixels(
    file,
    source,
    level === 'none' ? () => releaseFile()?.transfer(0) : () => {},
  );
  try {
    return smallest(
      { file, source, pixels, keeping: { level, metadata }, releaseFile },
      candidates,
    );
  } finally {
    pixels.end();
  }
}

/** A picture on the bench. */
interface Work {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly pixels: PreparedPixels;
  readonly keeping: Keeping;
  readonly releaseFile: ReleaseFile;
}

function smallest(work: Work, candidates: readonly Candidate[]): Result | Refusal {
  const { source, pixels } = work;
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  for (const [i, candidate] of candidates.entries()) {
    if (!makesRoom(candidate, best, pixels)) {
      if (best && best.bytes.length <= source.fileBytes) continue;
      // the original will be smaller
      best = ended(best);
      if (!makesRoom(candidate, best, pixels)) return { kind: 'refused', reason: 'overloaded' };
    }
    const finished = beside(best, () => tried(work, candidates.slice(i)));
    if (finished.kind === 'no-way') {
      refusal = finished.refusal;
      continue;
    }
    // it needs more than its header tells, and there is something to answer with
    if (finished.kind === 'refused' && finished.reason === 'overloaded' && best) continue;
    // A picture that one candidate finds damaged is not handed on by another that looks less closely.
    if (finished.kind === 'refused') return finished;
    const { type, job } = candidate;
    const result = resultOf(type, job, finished, source.image);
    // one that had to shed what should have stayed is for when all others grew
    const isLast = !finished.isComplete && best && best.bytes.length <= source.fileBytes;
    const isBetter =
      !best || result.bytes.length < best.bytes.length * advantage(job, source.image);
    if (isBetter && !isLast) {
      ended(best);
      best = result;
    } else {
      ended(result);
    }
  }
  return best ?? refusal ?? damaged;
}

/** Does `work` with the best result so far in the account. */
function beside<Outcome>(best: Result | undefined, work: () => Outcome): Outcome {
  const hold = ledger.keep(best?.bytes.buffer.byteLength ?? 0);
  try {
    return work();
  } finally {
    hold.release();
  }
}

/** Makes what the first of the remaining candidates makes, ready to be sent. */
function tried(
  work: Work,
  [candidate, ...others]: readonly Candidate[],
): Finished | Exclude<Produced, { kind: 'produced' }> {
  const { file, source, pixels, keeping } = work;
  if (!candidate) return damaged;
  const { job } = candidate;
  if (job.engine === 'raster') {
    const prepared = pixels.through(job.pixels);
    if ('kind' in prepared) return prepared;
    if (others.every((next) => needs(next.job, pixels))) pixels.releaseFile();
  }
  if (job.engine === 'jpeg-coefficients') return runJpegCoefficients(file, source, job, work);
  if (job.engine === 'png-stream') return runPngStream(file, source, job, work);
  const produced = run(job, work);
  if (produced.kind !== 'produced') return produced;
  // the finished copy stands beside what was produced
  const buffers = 2 * produced.bytes.length + pixels.bytes;
  const areInTheWay = pixels.areReplaceable && !ledger.makesRoomFor({ arena: 0, buffers });
  const areNeeded = others.some((next) => needs(next.job, pixels));
  if (!areNeeded || areInTheWay) pixels.end();
  const finished = finish(produced, job, source, keeping);
  if (produced.bytes.buffer !== file.buffer) produced.bytes.buffer.transfer(0);
  return finished;
}

/** Makes room for a candidate beside what is kept; the pixels of an earlier one go if they are in its way. */
function makesRoom(
  { job, peak: { arena, buffers } }: Candidate,
  best: Result | undefined,
  pixels: PreparedPixels,
): boolean {
  const held = best?.bytes.buffer.byteLength ?? 0;
  // one that needs the same pixels has them in its own account
  const kept = needs(job, pixels) ? 0 : pixels.bytes;
  if (kept > 0 && !ledger.makesRoomFor({ arena, buffers: buffers + held + kept })) pixels.end();
  return ledger.makesRoomFor({ arena, buffers: buffers + held });
}

function needs(job: Job, pixels: PreparedPixels): boolean {
  return job.engine === 'raster' && pixels.has(job.pixels);
}

function run(job: ProducingJob, { file, source, pixels }: Work): Produced {
  switch (job.engine) {
    case 'raster':
      return runRaster(pixels, source, job);
    case 'original':
      return runOriginal(file, source, job);
  }
}

/** Gives the memory of a result back. */
function ended(result: Result | undefined): undefined {
  result?.bytes.buffer.transfer(0);
  return undefined;
}
