import type { Payment } from '../api/wire.ts';

/** Seconds between one look and the next, after someone came back from paying. */
export const pauses: readonly number[] = [1, 2, 3, 5, 8, 13, 20, 30];

export type Confirmation =
  /** Stripe has not told the service yet. */
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'settled';
      readonly status: Exclude<Payment['status'], 'pending'>;
      readonly files: number;
    }
  /** It is not one of this account. */
  | { readonly kind: 'unknown' };

/** Where the payment stands that someone has just come back from; what else they bought says nothing about it. */
export function confirmationOf(paymentId: string, payments: readonly Payment[]): Confirmation {
  const payment = payments.find(({ id }) => id === paymentId);
  if (!payment) return { kind: 'unknown' };
  const { status, files } = payment;
  return status === 'pending' ? { kind: 'waiting' } : { kind: 'settled', status, files };
}
