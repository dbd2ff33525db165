import type { Payment } from '../api/wire.ts';

interface Words {
  readonly name: string;
  readonly meaning: string;
}

/** What became of a payment, for whoever made it. */
export const statusWords: Readonly<Record<Payment['status'], Words>> = {
  pending: {
    name: 'Pending',
    meaning: 'Not confirmed yet. If you left the payment page, nothing was charged.',
  },
  paid: { name: 'Paid', meaning: 'The files were added to your account.' },
  refunded: {
    name: 'Refunded',
    meaning: 'The money went back, and the files were taken out of your account.',
  },
  failed: { name: 'Failed', meaning: 'Nothing was charged, and no files were added.' },
};
