import type { ImageType } from '../formats/facts.ts';
import type { Finished } from '../formats/format.ts';
import type { SourceImage } from '../formats/registry.ts';
import { uprightSize } from '../formats/registry.ts';
import type { Refusal } from '../refusal.ts';
import type { Job } from './plan.ts';

/** The smallest picture that the candidates came to. */
export interface Result {
  readonly kind: 'result';
  readonly type: ImageType;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Finished['quality'];
  /** What made it. */
  readonly engine: Job['engine'];
}

/** @param image the source */
export function resultOf(
  type: ImageType,
  job: Job,
  { bytes, quality }: Finished,
  image: SourceImage,
): Result {
  return { kind: 'result', type, bytes, ...shownSize(job, image), quality, engine: job.engine };
}

function shownSize(job: Job, image: SourceImage): { width: number; height: number } {
  if (job.engine !== 'raster' || !job.pixels.target) return uprightSize(image);
  const { width, height } = job.pixels.target;
  const turn = job.pixels.turn === 1 ? image.orientation : job.pixels.turn;
  return turn >= 5 ? { width: height, height: width } : { width, height };
}

/**
 * How much larger than a new coding the original may be and still be sent.
 * Coding again costs a little quality each time; for next to nothing it is not
 * worth it. How good a lossy WebP or AVIF once was cannot be told from its
 * header, so there a new coding has to save a tenth.
 */
export function advantage(job: Job, { type }: SourceImage): number {
  if (job.engine !== 'original' || type === 'png') return 1;
  return type === 'jpeg' ? 1 / 0.99 : 1 / 0.9;
}

/** What a job came to. */
export type Produced =
  | {
      readonly kind: 'produced';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly quality: Finished['quality'];
    }
  /** The picture is sound, but this way of coding it takes more memory than there is. */
  | { readonly kind: 'no-way'; readonly refusal: Refusal }
  | Refusal;

export function produced(bytes: Uint8Array<ArrayBuffer>, quality: Finished['quality']): Produced {
  return { kind: 'produced', bytes, quality };
}
