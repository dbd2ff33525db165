import { ApiError } from '../../errors.ts';
import {
  fitsAlone,
  type Hold,
  ImageError,
  ledger,
  type Optimized,
  smallBytes,
  type Work,
} from '../../image/engine.ts';
import type { RequestNotes } from '../http/context.ts';
import { apiErrorOf } from '../http/problems.ts';
import type { HeldBytes } from './held-body.ts';
import type { Job } from './job.ts';
import type { Upload } from './upload.ts';

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

export interface Shrunk {
  readonly kind: 'shrunk';
  readonly picture: Optimized;
  /** The memory of the result, until its response accounts for it. */
  readonly hold: Hold;
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
 * Does the work in slices, and releases the memory of the upload. If the client leaves, the work ends.
 * @param job the job whose turn it is
 * @param note receives facts about the request for its log record
 */
export async function shrink(
  work: Work,
  { held }: Pick<Upload, 'held'>,
  job: Job,
  note: (notes: RequestNotes) => void,
): Promise<Shrunk | Refused> {
  const running = work.start(() => held.handOver());
  try {
    for (;;) {
      const done = running.next();
      if (done) return shrunk(done.result, note);
      await job.pause(running);
    }
  } catch (error) {
    if (error instanceof ApiError) {
      const cpuMs = Math.min(running.cpuMs, work.cpuMs);
      return { kind: 'refused', error, isSpent: true, cpuMs };
    }
    if (!(error instanceof ImageError)) throw error;
    const isSpent = error.code !== 'overloaded';
    return { kind: 'refused', error: apiErrorOf(error), isSpent, cpuMs: work.cpuMs };
  } finally {
    running.end();
    held.end();
  }
}

function shrunk(picture: Optimized, note: (notes: RequestNotes) => void): Shrunk {
  const { type, bytes, engine } = picture;
  note({ output_type: type, bytes_out: bytes.length, engine });
  return { kind: 'shrunk', picture, hold: ledger.keep(bytes.buffer.byteLength) };
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
