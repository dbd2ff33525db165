import type { Keeping } from '../../metadata/carried.ts';
import type { Source } from '../../pipeline/read-source.ts';
import type { Refusal } from '../../refusal.ts';
import { arena } from '../../wasm/codec.ts';
import { arenaCeiling, type Peak } from '../../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile, withinArena } from '../../wasm/run-in-arena.ts';
import type { Finished, Quality } from '../format.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import type { JpegInspection } from './inspect.ts';
import { jpegRecodingBytes } from './memory.ts';
import { recodeJpeg } from './recode.ts';
import { jpegHead, rewrappedJpeg } from './rewrap.ts';

/** JPEG to JPEG in its own size: it never becomes pixels. */
export interface JpegCoefficientsJob {
  readonly engine: 'jpeg-coefficients';
  readonly quality: Quality;
  /** No other candidate needs the file: it makes way for the result. */
  readonly isAlone: boolean;
}

/** A JPEG, as the jobs of this engine have it. */
type JpegSource = Source & { readonly image: JpegInspection };

/** Predicted memory of a job, the file itself not counted. Until it is complete, the result lies in the arena. */
export function jpegCoefficientsPeak(
  source: Source,
  { quality, isAlone }: JpegCoefficientsJob,
): Peak {
  const { fileBytes } = source;
  return {
    arena: jpegRecodingBytes(jpegIn(source).image, fileBytes, quality),
    buffers: isAlone ? 0 : fileBytes,
  };
}

/**
 * Codes a JPEG anew, or gives it back untouched where that would not make it
 * smaller: with the profile, the orientation and the metadata that belong to
 * the answer, so that there is no second copy of a large one.
 */
export function runJpegCoefficients(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  job: JpegCoefficientsJob,
  { keeping, releaseFile }: { readonly keeping: Keeping; readonly releaseFile: ReleaseFile },
): Finished | Refusal {
  const { image } = jpegIn(source);
  return withinArena(jpegCoefficientsPeak(source, job), () => {
    const head = jpegHead(file, keptAppearance(source, keeping));
    const original = untouched(file, source, keeping, (appearance) =>
      rewrappedJpeg(file, appearance),
    );
    const recoded = recodeJpeg(file, image, {
      quality: job.quality,
      head,
      originalBytes: original.length,
      mayStream: arena.bytes >= arenaCeiling,
    });
    const makeWay = job.isAlone ? releaseFile : () => null;
    if (!recoded) return finishedUntouched(original, makeWay);
    const bytes = copiedOut([recoded.bytes], makeWay);
    return { kind: 'finished', bytes, quality: recoded.quality, isComplete: true } as const;
  });
}

function jpegIn(source: Source): JpegSource {
  const { image } = source;
  if (image.type !== 'jpeg') throw new TypeError('not a JPEG');
  return { ...source, image };
}
