import { filesText } from '../../text/formatting.ts';
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

/** What is said to someone who comes back from the payment page. */
interface Words {
  readonly title: string;
  readonly text: string;
  /** Whether it is as they hoped. */
  readonly isGood: boolean;
}

export const cancelledWords: Words = {
  title: 'Nothing was charged.',
  text: 'You left the payment page before paying. You can buy a pack whenever you like.',
  isGood: false,
};

/** @param isLate the page has stopped looking by itself */
export function returnWords(confirmation: Confirmation, isLate: boolean): Words {
  switch (confirmation.kind) {
    case 'settled':
      return settledWords(confirmation);
    case 'unknown':
      return {
        title: 'This payment is not one of this account.',
        text: 'If you paid while signed in with another address, the files are in that account.',
        isGood: false,
      };
    case 'waiting':
      return {
        title: 'Your payment is being confirmed.',
        text: isLate
          ? 'Some ways of paying take hours; the files appear in your account by themselves, and you can close this page.'
          : 'Your files appear here as soon as it is, usually within a minute.',
        isGood: !isLate,
      };
  }
}

function settledWords({ status, files }: Confirmation & { kind: 'settled' }): Words {
  switch (status) {
    case 'paid':
      return {
        title: 'Thank you. Your payment is confirmed.',
        text: `${filesText(files)} ${files === 1 ? 'was' : 'were'} added to your account.`,
        isGood: true,
      };
    case 'failed':
      return {
        title: 'The payment did not go through.',
        text: 'Nothing was charged, and no files were added. You can try again with another way of paying.',
        isGood: false,
      };
    case 'refunded':
      return {
        title: 'This payment was refunded.',
        text: 'The money went back, and the files were taken out of your account.',
        isGood: false,
      };
  }
}
