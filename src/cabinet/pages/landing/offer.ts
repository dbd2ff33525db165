import type { Price } from '../../text/formatting.ts';

/** What this deployment offers. */
export interface Offer {
  readonly freeFilesPerMonth: number;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** The payment provider; null if packs cannot be bought. */
  readonly stripe: object | null;
  /** What visitors may try without an account; null: nothing. */
  readonly trial: TrialOffer | null;
}

export interface TrialOffer {
  /** Images on a day. */
  readonly images: number;
  /** Of an image. */
  readonly maxMiB: number;
}
