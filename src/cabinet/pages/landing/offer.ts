import type { Price } from '../../text/formatting.ts';
import type { TurnstileWidget } from '../frame.tsx';

/** What this deployment offers, and to whom. */
export interface Offer {
  readonly freeFilesPerMonth: number;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** The payment provider; null if packs cannot be bought. */
  readonly stripe: object | null;
  /** The Turnstile check; null if it is off. */
  readonly turnstile: TurnstileWidget | null;
  /** What visitors may try without an account; null if trials are off. */
  readonly trial: TrialOffer | null;
  /** Whether the visitor has a session cookie; the session may have ended since. */
  readonly isSignedIn: boolean;
}

export interface TrialOffer {
  /** Images per day. */
  readonly images: number;
  /** Maximum size of an image. */
  readonly maxMiB: number;
}
