import '../../design/payment.css';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { countText, dayText, filesText, moneyText, utcText } from '../../text/formatting.ts';
import { type Loaded, useLoaded } from '../api/call.ts';
import type { List, Me, Pack, Payment } from '../api/wire.ts';
import { hasBought } from '../overview/quota-words.ts';
import { Loading } from '../parts/feedback.tsx';
import { isSelling } from '../parts/page-facts.ts';
import { statusWords } from './confirmation.ts';
import { NothingForSale, PackCards } from './pack-cards.tsx';
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
  // The notice depends on the payments.
  const isNoticeReady = paymentId === null || hasOutcome(payments);
  const reloadMe = me.reload;
  useEffect(() => {
    if (isSettled) reloadMe();
    // The notice is shown once: reloading the page opens it without the result. The router keeps the address it knows.
    if (isSettled || isCancelled) history.replaceState(history.state, '', location.pathname);
  }, [isSettled, isCancelled]);
  return (
    <div class="stack payment">
      <h1>Payment</h1>
      {(isCancelled || (paymentId !== null && isNoticeReady)) && (
        <ReturnNotice confirmation={isCancelled ? null : confirmation} />
      )}
      {/* Sections appear from top to bottom, so that nothing visible moves when something above it loads. */}
      {isNoticeReady && <Loading loaded={me}>{(body) => <FilesLeft me={body} />}</Loading>}
      {isNoticeReady &&
        hasOutcome(me) &&
        (isSelling() ? <Packs packs={packs} /> : <NothingForSale />)}
      {isNoticeReady &&
        hasOutcome(me) &&
        (isSelling() ? hasOutcome(packs) : hasHistory(payments)) && (
          <section class="stack" aria-labelledby="history">
            <h2 id="history">History</h2>
            <Loading loaded={payments}>
              {(body) => <History payments={body.items} awaited={paymentId} />}
            </Loading>
          </section>
        )}
    </div>
  );
}

/** Whether there is something to show, even if it is a failure. */
function hasOutcome({ body, failure }: Pick<Loaded<unknown>, 'body' | 'failure'>): boolean {
  return body !== null || failure !== null;
}

/** Whether there are past payments, or loading them failed; where nothing is sold, an empty history is not shown. */
function hasHistory({ body, failure }: Loaded<List<Payment>>): boolean {
  return failure !== null || (body !== null && body.items.length > 0);
}

/** The packs for sale. */
function Packs({ packs }: { packs: Loaded<List<Pack>> }) {
  return (
    <section class="stack" aria-labelledby="buy">
      <h2 id="buy">Buy files</h2>
      <p>Pay once, no subscription. You pay on Stripe’s page; we never see your card.</p>
      <Loading loaded={packs}>{(body) => <PackCards packs={body.items} />}</Loading>
    </section>
  );
}

/** The remaining paid files, and free files of this month. */
function FilesLeft({ me }: { me: Me }) {
  const { paid_quota_remaining: paid, free_quota: free } = me;
  const hasPaid = hasBought(me);
  return (
    <div class="card stack">
      <dl class="figure-list">
        {hasPaid && (
          <div>
            <dt>paid {paid === 1 ? 'file' : 'files'} left</dt>
            <dd>{countText(paid)}</dd>
          </div>
        )}
        <div>
          <dt>of {filesText(free.limit, 'free')} left this month</dt>
          <dd>{countText(free.remaining)}</dd>
        </div>
      </dl>
      <p class="soft">
        {hasPaid && 'Free files are used first. '}New free files arrive on{' '}
        <time dateTime={free.resets_at}>{utcText(free.resets_at)}</time>. A file counts only if the
        image gets smaller.{(hasPaid || isSelling()) && ' Paid files never expire.'}
      </p>
    </div>
  );
}

/** All payments with their status, newest first. */
function History({
  payments,
  awaited,
}: {
  payments: readonly Payment[];
  /** The payment that the user returned from. */
  awaited: string | null;
}) {
  if (payments.length === 0) return <p class="soft">No payments yet.</p>;
  return (
    <ul class="payments">
      {payments.map((payment) => {
        const { name, meaning, badge } = statusWords(payment, awaited === payment.id);
        return (
          <li key={payment.id}>
            <div class="payment-line">
              <strong>{filesText(payment.files)}</strong>
              <span>{moneyText(payment.amount, payment.currency)}</span>
              <span class={badge}>{name}</span>
              {payment.receipt_url && (
                <a href={payment.receipt_url} target="_blank" rel="noreferrer">
                  Receipt
                  <span class="visually-hidden">
                    {' '}
                    for {filesText(payment.files)}, {dayText(payment.created_at.slice(0, 10))}, in a
                    new tab
                  </span>
                </a>
              )}
            </div>
            <div class="soft">
              <time dateTime={payment.created_at}>{utcText(payment.created_at)}</time>
              {'. '}
              {meaning}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
