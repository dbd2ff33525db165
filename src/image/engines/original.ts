import { lookedThrough, viewingPeak } from '../decode.ts';
import type { Peak } from '../memory-ledger.ts';
import type { Source } from '../source.ts';
import { type Produced, produced } from './produced.ts';

/** The original file as the answer; `finish` takes out the metadata. */
export interface OriginalJob {
  readonly engine: 'original';
  /** Decode it first, so that no damaged picture is handed on; other jobs before it may have done so. */
  readonly verify: boolean;
}

/** Predicted memory of a job, the file itself not counted. */
export function originalPeak({ image, fileBytes }: Source, { verify }: OriginalJob): Peak {
  const looking = verify ? viewingPeak(image, fileBytes) : { arena: 0, buffers: 0 };
  return { arena: looking.arena, buffers: Math.max(looking.buffers, fileBytes) };
}

/** The file as it is, looked through where the job says so. */
export function runOriginal(
  file: Uint8Array<ArrayBuffer>,
  { image }: Source,
  { verify }: OriginalJob,
): Produced {
  return (verify ? lookedThrough(file, image) : null) ?? produced(file, 'original');
}
