import '../../design/payment.css';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { countText, filesText, moneyText, utcText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { List, Me, Pack, Payment } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { NotConfigured, PackCards, takesPayments } from './pack-cards.tsx';
import { ReturnNotice, useConfirmation } from './return-notice.tsx';

/** What is left, what can be bought, what was bought. Stripe sends people back here with a `result`. */
export function PaymentPage() {
  const { query } = useLocation();
  const me = useLoaded<Me>('/v1/me');
  const packs = useLoaded<List<Pack>>('/v1/payments/packs');
  const payments = useLoaded<List<Payment>>('/v1/payments');
  const paymentId = (query.result === 'success' && query.payment) || null;
  const isCancelled = query.result === 'cancelled';
  const awaited = useConfirmation(paymentId, payments.body?.items ?? null, payments.reload);
  const isSettled = paymentId !== null && awaited.confirmation.kind === 'settled';
  const reloadMe = me.reload;
  useEffect(() => {
    if (isSettled) reloadMe();
    // said once: the router goes on with the address that it knows, a reload without the result
    if (isSettled || isCancelled) history.replaceState(history.state, '', location.pathname);
  }, [isSettled, isCancelled]);
  return (
    <div class="stack payment">
      <h1>Payment</h1>
      {(paymentId !== null || isCancelled) && (
        <ReturnNotice awaited={isCancelled ? null : awaited} />
      )}
      <Loading loaded={me}>{(body) => <FilesLeft me={body} />}</Loading>
      <section class="stack" aria-labelledby="buy">
        <h2 id="buy">{takesPayments() ? 'Buy files' : 'Prices'}</h2>
        {takesPayments() ? (
          <p>
            One payment, no subscription. You pay on a page of Stripe; your card is not shown to us.
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

/** What can still be optimized: bought files, and those of this month. */
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
        Free files are used first, and are back on{' '}
        <time dateTime={free.resets_at}>{utcText(free.resets_at)}</time>. A file counts only when
        its picture came out smaller. Paid files do not expire.
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

/** Every payment, the newest first, with what became of it. */
function History({ payments }: { payments: readonly Payment[] }) {
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

interface Words {
  readonly name: string;
  readonly meaning: string;
}

/** What became of a payment, for whoever made it. */
const statusWords: Readonly<Record<Payment['status'], Words>> = {
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
