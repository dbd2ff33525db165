import { ApiError } from '../../errors.ts';
import { fitsAlone, ImageError, smallBytes, type Work } from '../../image/engine.ts';
import type { RequestNotes } from '../http/context.ts';
import { apiErrorOf } from '../http/problems.ts';
import type { HeldBytes } from './held-body.ts';
import type { Job } from './job.ts';
import type { Upload } from './upload.ts';
import type { Kept } from './workplace.ts';

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
  const work = orImageError(plan);
  const { inputType } = work;
  if (inputType) note({ input_type: inputType });
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
  if (!fitsAlone(work.peak, held.blockBytes + heldBytes)) held.trim();
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
    return shrunk(await doing.done(job), note);
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
  return { kind: 'shrunk', ...kept };
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
