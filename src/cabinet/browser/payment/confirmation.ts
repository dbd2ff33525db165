import type { Payment } from '../api/wire.ts';

/** Seconds between one look and the next, after someone came back from paying. */
export const pauses: readonly number[] = [1, 2, 3, 5, 8, 13, 20, 30];

export type Confirmation =
  /** Stripe has not told the service yet. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'paid'; readonly payment: Payment }
  /** It did not come about; nothing was charged. */
  | { readonly kind: 'failed' };

/**
 * Where the payment stands that someone has just come back from: one that was
 * pending at the first look, otherwise the newest.
 * @param first as listed when the page was opened, the newest first
 * @param now as listed most recently
 */
export function confirmationOf(first: readonly Payment[], now: readonly Payment[]): Confirmation {
  const pending = new Set(first.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const newest = now[0];
  // older ones may be pending for ever: they were begun and left
  const settled = now.find(({ id, status }) => pending.has(id) && status === 'paid');
  if (settled) return { kind: 'paid', payment: settled };
  if (newest?.status === 'paid') return { kind: 'paid', payment: newest };
  if (newest?.status === 'failed' && pending.has(newest.id)) return { kind: 'failed' };
  return { kind: 'waiting' };
}
