import type { Limit } from './throttle.ts';

const minute = 60 * 1000;

/**
 * Checkouts of one user that have not led to a payment. The window is the life
 * of a Checkout session, so nobody has more of them open than this.
 */
export const unpaidCheckouts: Limit & {
  /** For how many milliseconds one counts that got no session, as while Stripe is out of order. */
  readonly unopenedWindow: number;
} = { events: 20, window: 24 * 60 * minute, unopenedWindow: 10 * minute };
