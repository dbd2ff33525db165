import '../../design/payment.css';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../api/use-loaded.ts';
import type { List, Me, Pack, Payment } from '../api/wire.ts';
import { Loading } from '../parts/loading.tsx';
import { FilesLeft } from './files-left.tsx';
import { History } from './history.tsx';
import { NotConfigured } from './not-configured.tsx';
import { PackCards } from './pack-cards.tsx';
import { ReturnNotice } from './return-notice.tsx';
import { takesPayments } from './takes-payments.ts';
import { useConfirmation } from './use-confirmation.ts';

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
