import type { Price } from '../../text/formatting.ts';
import type { TurnstileWidget } from '../frame.tsx';

/** What this deployment offers, and to whom. */
export interface Offer {
  readonly freeFilesPerMonth: number;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** The payment provider; null if packs cannot be bought. */
  readonly stripe: object | null;
  /** The check that someone is human; null: it is off. */
  readonly turnstile: TurnstileWidget | null;
  /** What visitors may try without an account; null: nothing. */
  readonly trial: TrialOffer | null;
  /** Whether the visitor has a session, which may have ended since. */
  readonly isSignedIn: boolean;
}

export interface TrialOffer {
  /** Images on a day. */
  readonly images: number;
  /** Of an image. */
  readonly maxMiB: number;
}
