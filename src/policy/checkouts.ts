import type { Limit } from './throttle.ts';

/**
 * Checkouts of one user that have not led to a payment. The window is the life
 * of a Checkout session, so nobody has more of them open than this.
 */
export const unpaidCheckouts: Limit = { events: 20, window: 24 * 60 * 60 * 1000 };
