import type { ApiError } from '../../errors.ts';
import {
  fitsAlone,
  ImageError,
  type Optimized,
  plan,
  smallBytes,
  type Work,
} from '../../image/engine.ts';
import type { RequestNotes } from '../http/context.ts';
import { apiErrorOf } from './api-error.ts';
import type { Upload } from './upload.ts';

export interface Refused {
  readonly kind: 'refused';
  readonly error: ApiError;
  /** Whether it has taken CPU time that counts: the image was decoded, or a large file was read for its headers. */
  readonly isSpent: boolean;
}

/** A refusal before any work, with the CPU time in milliseconds that it has taken all the same. */
export type RefusedEarly = Refused & { readonly cpuMs: number };

/** Work that waits for its turn. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly work: Work;
  readonly cpuMs: number;
}

export interface Shrunk {
  readonly kind: 'shrunk';
  readonly picture: Optimized;
}

/**
 * Plans the work on an upload, and counts the memory that is held for it from now on.
 * @param note receives facts about the request for its log record
 * @throws ApiError `overloaded`
 */
export function prepare(
  { held, options }: Upload,
  note: (notes: RequestNotes) => void,
): Prepared | RefusedEarly {
  note({ bytes_in: held.length });
  const work = orImageError(() => plan(held.bytes, options));
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
  return { kind: 'prepared', work, cpuMs };
}

/**
 * Does the work in one synchronous run, and releases the memory of the upload.
 * @param note receives facts about the request for its log record
 */
export function shrink(
  work: Work,
  { held }: Upload,
  note: (notes: RequestNotes) => void,
): Shrunk | Refused {
  try {
    const picture = orImageError(() => work.run(() => held.handOver()));
    if (picture instanceof ImageError) {
      const isSpent = picture.code !== 'overloaded';
      return { kind: 'refused', error: apiErrorOf(picture), isSpent };
    }
    const { type, bytes, engine } = picture;
    note({ output_type: type, bytes_out: bytes.length, engine });
    return { kind: 'shrunk', picture };
  } finally {
    held.end();
  }
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
