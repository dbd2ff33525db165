import '../../design/payment.css';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { countText, filesText, moneyText, utcText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { List, Me, Pack, Payment } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { NotConfigured, PackCards, takesPayments } from './pack-cards.tsx';
import { ReturnNotice, useConfirmation } from './return-notice.tsx';

/** Remaining files, packs for sale, and past payments. Stripe returns users here with a `result` in the query. */
export function PaymentPage() {
  const { query } = useLocation();
  const me = useLoaded<Me>('/v1/me');
  const packs = useLoaded<List<Pack>>('/v1/payments/packs');
  const payments = useLoaded<List<Payment>>('/v1/payments');
  const paymentId = (query.result === 'success' && query.payment) || null;
  const isCancelled = query.result === 'cancelled';
  const confirmation = useConfirmation(paymentId, payments.body?.items ?? null, payments.reload);
  const isSettled = paymentId !== null && confirmation.state.kind === 'settled';
  const reloadMe = me.reload;
  useEffect(() => {
    if (isSettled) reloadMe();
    // shown once: a reload loads the page without the result; the router keeps the address it knows
    if (isSettled || isCancelled) history.replaceState(history.state, '', location.pathname);
  }, [isSettled, isCancelled]);
  return (
    <div class="stack payment">
      <h1>Payment</h1>
      {(paymentId !== null || isCancelled) && (
        <ReturnNotice confirmation={isCancelled ? null : confirmation} />
      )}
      <Loading loaded={me}>{(body) => <FilesLeft me={body} />}</Loading>
      <section class="stack" aria-labelledby="buy">
        <h2 id="buy">{takesPayments() ? 'Buy files' : 'Prices'}</h2>
        {takesPayments() ? (
          <p>
            One-time payment, no subscription. You pay on Stripe’s page; we never see your card.
          </p>
        ) : (
          <NotConfigured />
        )}
        <Loading loaded={packs}>{(body) => <PackCards packs={body.items} />}</Loading>
      </section>
      <section class="stack" aria-labelledby="history">
        <h2 id="history">History</h2>
        <Loading loaded={payments}>{(body) => <History payments={body.items} />}</Loading>
      </section>
    </div>
  );
}

/** The remaining paid files, and free files of this month. */
function FilesLeft({ me }: { me: Me }) {
  const { paid_quota_remaining: paid, free_quota: free } = me;
  return (
    <div class="card stack">
      <dl class="figure-list">
        <div>
          <dt>paid {paid === 1 ? 'file' : 'files'} left</dt>
          <dd>{countText(paid)}</dd>
        </div>
        <div>
          <dt>of {filesText(free.limit, 'free')} left this month</dt>
          <dd>{countText(free.remaining)}</dd>
        </div>
      </dl>
      <p class="soft">
        Free files are used first and reset on{' '}
        <time dateTime={free.resets_at}>{utcText(free.resets_at)}</time>. A file counts only if the
        image gets smaller. Paid files never expire.
      </p>
    </div>
  );
}

const badges: Readonly<Record<Payment['status'], string>> = {
  pending: 'badge warn',
  paid: 'badge',
  refunded: 'badge off',
  failed: 'badge off',
};

/** All payments with their status, newest first. */
function History({ payments }: { payments: readonly Payment[] }) {
  if (payments.length === 0) {
    return <p class="soft">No payments yet. They’ll be listed here.</p>;
  }
  return (
    <ul class="payments">
      {payments.map((payment) => (
        <li key={payment.id}>
          <div class="payment-line">
            <strong>{filesText(payment.files)}</strong>
            <span>{moneyText(payment.amount, payment.currency)}</span>
            <span class={badges[payment.status]}>{statusMessages[payment.status].name}</span>
          </div>
          <div class="soft">
            <time dateTime={payment.created_at}>{utcText(payment.created_at)}</time>
            {'. '}
            {statusMessages[payment.status].meaning}
          </div>
        </li>
      ))}
    </ul>
  );
}

interface Message {
  readonly name: string;
  readonly meaning: string;
}

/** The status of a payment, explained to the user. */
const statusMessages: Readonly<Record<Payment['status'], Message>> = {
  pending: {
    name: 'Pending',
    meaning: 'Not confirmed yet. If you left the payment page, nothing was charged.',
  },
  paid: { name: 'Paid', meaning: 'The files were added to your account.' },
  refunded: {
    name: 'Refunded',
    meaning: 'Your money was returned and the files were removed from your account.',
  },
  failed: { name: 'Failed', meaning: 'Nothing was charged and no files were added.' },
};
