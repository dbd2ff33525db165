import { moneyText } from '../../text/money.ts';
import { filesText } from '../../text/sizes.ts';
import { utcText } from '../../text/times.ts';
import type { Payment } from '../api/wire.ts';
import { statusWords } from './status-words.ts';

const badges: Readonly<Record<Payment['status'], string>> = {
  pending: 'badge warn',
  paid: 'badge',
  refunded: 'badge off',
  failed: 'badge off',
};

/** Every payment, the newest first, with what became of it. */
export function History({ payments }: { payments: readonly Payment[] }) {
  if (payments.length === 0) {
    return <p class="soft">Nothing bought yet. Your payments will be listed here.</p>;
  }
  return (
    <ul class="payments">
      {payments.map((payment) => (
        <li key={payment.id}>
          <div class="payment-line">
            <strong>{filesText(payment.files)}</strong>
            <span>{moneyText(payment.amount, payment.currency)}</span>
            <span class={badges[payment.status]}>{statusWords[payment.status].name}</span>
          </div>
          <div class="soft">
            <time dateTime={payment.created_at}>{utcText(payment.created_at)}</time>
            {'. '}
            {statusWords[payment.status].meaning}
          </div>
        </li>
      ))}
    </ul>
  );
}
