import type { ApiError } from '../../errors.ts';
import { execute } from '../../image/execute.ts';
import { predictedPeak } from '../../image/jobs/predicted-peak.ts';
import { plan } from '../../image/plan.ts';
import type { Result } from '../../image/result.ts';
import { look, type Source } from '../../image/source.ts';
import type { RequestNotes } from '../../request-log.ts';
import { refused, unreadable } from './refusals.ts';
import type { Upload } from './upload.ts';

export type Outcome =
  | {
      readonly kind: 'picture';
      readonly source: Source;
      readonly result: Result;
      readonly isAnimation: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly error: ApiError;
      /** Whether it took decoding to find out; that has cost computing. */
      readonly isSpent: boolean;
    };

/** Whether the work will keep the thread for some tenths of a second, as far as can be told before. */
export function takesLong({ held, options: { format } }: Upload): boolean {
  return format === 'avif' || format === 'auto' || held.length > 256 * 1024;
}

/**
 * Body in hand, the rest runs in one go; then the body's memory is free again.
 * @param note is told what is found out on the way
 */
export function shrink({ held, options }: Upload, note: (notes: RequestNotes) => void): Outcome {
  try {
    const file = held.bytes;
    note({ bytes_in: file.length });
    const source = look(file);
    if (source.kind !== 'source') return early(unreadable(source));
    note({ input_type: source.image.type });
    const planned = plan(source, options);
    if (planned.kind === 'refused') return early(refused(planned, source, options));
    note({ predicted_peak: predictedPeak(planned.candidates, held.blockBytes) });
    const result = execute(file, source, planned.candidates, {
      level: options.metadata,
      releaseFile: () => held.handOver(),
    });
    if (result.kind === 'refused') {
      const error = refused(result, source, options);
      return { kind: 'refused', error, isSpent: result.reason !== 'overloaded' };
    }
    const { type, bytes, engine } = result;
    note({ output_type: type, bytes_out: bytes.length, engine });
    return { kind: 'picture', source, result, isAnimation: planned.kind === 'animated' };
  } finally {
    held.end();
  }
}

function early(error: ApiError): Outcome {
  return { kind: 'refused', error, isSpent: false };
}
