import type { Refusal } from '../refusal.ts';

/** What a job came to. */
export type Produced =
  | { readonly kind: 'produced'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The picture is sound, but this way of coding it takes more memory than there is. */
  | { readonly kind: 'no-way'; readonly refusal: Refusal }
  | Refusal;

export function produced(bytes: Uint8Array<ArrayBuffer>): Produced {
  return { kind: 'produced', bytes };
}
