import { filesText, moneyText, type Price } from '../../text/formatting.ts';
import type { Payment } from '../api/wire.ts';

/** Seconds before each poll after returning from the payment page. */
export const pollDelays: readonly number[] = [1, 2, 3, 5, 8, 13, 20, 30];

/** The state of the payment that the user returned from. */
export type PaymentState =
  /** Stripe has not notified the service yet. The price is null until the payments have been loaded. */
  | { readonly kind: 'waiting'; readonly price: Price | null }
  | {
      readonly kind: 'settled';
      readonly status: Exclude<Payment['status'], 'pending'>;
      readonly price: Price;
    }
  /** The payment does not belong to this account. */
  | { readonly kind: 'unknown' };

/** The state of one payment in the list of all payments. */
export function paymentState(paymentId: string, payments: readonly Payment[]): PaymentState {
  const payment = payments.find(({ id }) => id === paymentId);
  if (!payment) return { kind: 'unknown' };
  const { status, files, amount, currency } = payment;
  const price = { files, amount, currency };
  return status === 'pending' ? { kind: 'waiting', price } : { kind: 'settled', status, price };
}

/** A message shown after returning from the payment page. */
interface Message {
  readonly title: string;
  readonly text: string;
  /** Whether the message is good news. */
  readonly isGood: boolean;
}

export const cancelledMessage: Message = {
  title: 'Checkout cancelled.',
  text: 'You weren’t charged.',
  isGood: false,
};

/**
 * The message after returning from the payment page.
 * @param isPollingOver whether the page no longer checks automatically
 */
export function returnMessage(state: PaymentState, isPollingOver: boolean): Message {
  switch (state.kind) {
    case 'settled':
      return settledMessage(state);
    case 'unknown':
      return {
        title: 'This payment isn’t in your account.',
        text: 'If you paid while signed in with another address, the files are in that account.',
        isGood: false,
      };
    case 'waiting':
      return {
        title: `${state.price ? priceText(state.price) : 'Your payment'} is being confirmed.`,
        text: isPollingOver
          ? 'Some payment methods take hours. Your files are added automatically; you can close this page.'
          : 'Your files show up here as soon as it is, usually within a minute.',
        isGood: !isPollingOver,
      };
  }
}

/** `100,000 files · $300.00`. */
function priceText({ files, amount, currency }: Price): string {
  return `${filesText(files)} · ${moneyText(amount, currency)}`;
}

function settledMessage({ status, price }: PaymentState & { kind: 'settled' }): Message {
  const { files, amount, currency } = price;
  switch (status) {
    case 'paid':
      return {
        title: `Thank you. Your payment of ${moneyText(amount, currency)} is confirmed.`,
        text: `${filesText(files)} ${files === 1 ? 'was' : 'were'} added to your account.`,
        isGood: true,
      };
    case 'failed':
      return {
        title: 'The payment didn’t go through.',
        text: 'You weren’t charged, and no files were added. Try again, perhaps with another payment method.',
        isGood: false,
      };
    case 'refunded':
      return {
        title: 'This payment was refunded.',
        text: 'Your money was returned, and the files were removed from your account.',
        isGood: false,
      };
  }
}

/** The display text of a payment's status in the history. */
interface StatusWords {
  readonly name: string;
  readonly meaning: string;
  /** CSS class of the badge. */
  readonly badge: string;
}

/**
 * The status of a payment for display.
 * @param isAwaited whether the user has just returned from paying it; the notice above says that it is being confirmed
 */
export function statusWords({ status }: Payment, isAwaited: boolean): StatusWords {
  switch (status) {
    case 'pending':
      return isAwaited
        ? { name: 'Processing', meaning: 'Waiting for Stripe to confirm it.', badge: 'badge warn' }
        : {
            name: 'Not completed',
            meaning: 'No payment has arrived.',
            badge: 'badge off',
          };
    case 'paid':
      return { name: 'Paid', meaning: 'The files were added to your account.', badge: 'badge' };
    case 'refunded':
      return {
        name: 'Refunded',
        meaning: 'Your money was returned, and the files were removed from your account.',
        badge: 'badge off',
      };
    case 'failed':
      return {
        name: 'Failed',
        meaning: 'You weren’t charged, and no files were added.',
        badge: 'badge off',
      };
  }
}
