import type { Quality } from '../options.ts';
import type { Refusal } from '../refusal.ts';

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

/** A picture as it can be sent. */
export interface Finished {
  readonly kind: 'finished';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Quality | 'original';
  /** False: metadata that should have stayed would have made it longer than it came. */
  readonly isComplete: boolean;
}

export function produced(bytes: Uint8Array<ArrayBuffer>, quality: Finished['quality']): Produced {
  return { kind: 'produced', bytes, quality };
}
