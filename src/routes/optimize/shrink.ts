import { ApiError } from '../../errors.ts';
import { fitsAlone, ImageError, smallBytes, type Work } from '../../image/engine.ts';
import type { ImageType } from '../../image/formats/facts.ts';
import { count } from '../../telemetry/counts.ts';
import type { RequestNotes } from '../http/context.ts';
import { apiErrorOf } from '../http/problems.ts';
import type { HeldBytes } from './held-body.ts';
import type { Job } from './job.ts';
import type { Upload } from './upload.ts';
import type { Doing, Kept } from './workplace.ts';

export interface Refused {
  readonly kind: 'refused';
  readonly error: ApiError;
  /** Whether it has taken CPU time that counts: the image was decoded, or a large file was read for its headers. */
  readonly isSpent: boolean;
  /** The CPU time that it has taken, in milliseconds. */
  readonly cpuMs: number;
}

/** Planned work that waits for its turn. */
export interface Prepared<Planned> {
  readonly kind: 'prepared';
  readonly work: Planned;
}

export interface Shrunk extends Kept {
  readonly kind: 'shrunk';
}

/**
 * Plans the work on an upload, and counts the memory that is held for it from now on.
 * @param plan throws an ImageError if there is nothing to be done
 * @param note receives facts about the request for its log record
 * @throws ApiError `overloaded`
 */
export function prepare<Planned extends Omit<Work, 'start'>>(
  held: HeldBytes,
  plan: () => Planned,
  note: (notes: RequestNotes) => void,
): Prepared<Planned> | Refused {
  note({ bytes_in: held.length });
  let work = orImageError(plan);
  const { inputType } = work;
  if (inputType) {
    note({ input_type: inputType });
    count('fewerbytes_images_received_total', { input: inputType });
    count('fewerbytes_images_received_bytes_total', { input: inputType }, held.length);
  }
  if (work instanceof ImageError) {
    const isSpent = held.length > smallBytes;
    return { kind: 'refused', error: apiErrorOf(work), isSpent, cpuMs: earlyRefusalMs };
  }
  const { cpuMs, heldBytes } = work;
  note({
    predicted_peak: work.totalPeak(held.blockBytes),
    predicted_cpu: Math.round(cpuMs),
  });
  // The plan knows only the size of the file, not that of the block.
  if (!fitsAlone(work.peak, held.blockBytes + heldBytes) && held.trim()) {
    // What was planned would read the file where it was.
    work = plan();
  }
  held.keepBeside(heldBytes);
  return { kind: 'prepared', work };
}

/**
 * Does the work, and releases the memory of the upload. If the client leaves, the work ends.
 * @param job the job whose turn it is
 * @param note receives facts about the request for its log record
 */
export async function shrink(
  work: Work,
  upload: Upload,
  job: Job,
  note: (notes: RequestNotes) => void,
): Promise<Shrunk | Refused> {
  const doing = job.workplace.optimize(work, upload);
  try {
    return shrunk(await countedWork(job, work, doing), note);
  } catch (error) {
    if (error instanceof ApiError) {
      const cpuMs = Math.min(doing.cpuMs, work.cpuMs);
      return { kind: 'refused', error, isSpent: cpuMs > 0, cpuMs };
    }
    if (!(error instanceof ImageError)) throw error;
    const isSpent = error.code !== 'overloaded';
    return { kind: 'refused', error: apiErrorOf(error), isSpent, cpuMs: work.cpuMs };
  } finally {
    upload.held.end();
  }
}

function shrunk(kept: Kept, note: (notes: RequestNotes) => void): Shrunk {
  const { type, bytes, engine } = kept.picture;
  note({ output_type: type, bytes_out: bytes.length, engine });
  countResult(type, bytes);
  return { kind: 'shrunk', ...kept };
}

/** Counts one result. */
export function countResult(output: ImageType, { length }: Uint8Array): void {
  count('fewerbytes_images_made_total', { output });
  count('fewerbytes_images_made_bytes_total', { output }, length);
}

/** Does work, and counts the time that it was predicted to take and, where it can be measured, the time that it took. */
export async function countedWork<Result>(
  job: Job,
  { inputType: input, cpuMs }: Pick<Work, 'inputType' | 'cpuMs'>,
  doing: Doing<Result>,
): Promise<Result> {
  const result = await doing.done(job);
  count('fewerbytes_work_predicted_cpu_seconds_total', { input }, cpuMs / 1000);
  const { spentMs } = doing;
  if (spentMs !== null) count('fewerbytes_work_cpu_seconds_total', { input }, spentMs / 1000);
  return result;
}

/**
 * CPU time of a refusal before any work, in milliseconds: of reading as many headers as are read at all, of planning,
 * and of advising on what would fit.
 */
const earlyRefusalMs = 20;

function orImageError<Made>(make: () => Made): Made | ImageError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ImageError) return error;
    throw error;
  }
}
