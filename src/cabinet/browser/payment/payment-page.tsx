import '../../design/payment.css';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../api/use-loaded.ts';
import type { List, Me, Pack, Payment } from '../api/wire.ts';
import { Loading } from '../parts/loading.tsx';
import { FilesLeft } from './files-left.tsx';
import { History } from './history.tsx';
import { PackCards } from './pack-cards.tsx';
import { ReturnNotice } from './return-notice.tsx';
import { useConfirmation } from './use-confirmation.ts';

/** What is left, what can be bought, what was bought. Stripe sends people back here with a `result`. */
export function PaymentPage() {
  const { query } = useLocation();
  const me = useLoaded<Me>('/v1/me');
  const packs = useLoaded<List<Pack>>('/v1/payments/packs');
  const payments = useLoaded<List<Payment>>('/v1/payments');
  const awaited = useConfirmation(
    query.result === 'success',
    payments.body?.items ?? null,
    payments.reload,
  );
  const isPaid = query.result === 'success' && awaited.confirmation.kind === 'paid';
  const reloadMe = me.reload;
  useEffect(() => {
    if (isPaid) reloadMe();
  }, [isPaid]);
  return (
    <div class="stack payment">
      <h1>Payment</h1>
      {(query.result === 'success' || query.result === 'cancelled') && (
        <ReturnNotice result={query.result} awaited={awaited} />
      )}
      <Loading loaded={me}>{(body) => <FilesLeft me={body} />}</Loading>
      <section class="stack" aria-labelledby="buy">
        <h2 id="buy">Buy files</h2>
        <p>
          One payment, no subscription. You pay on a page of Stripe; your card is not shown to us.
        </p>
        <Loading loaded={packs}>{(body) => <PackCards packs={body.items} />}</Loading>
      </section>
      <section class="stack" aria-labelledby="history">
        <h2 id="history">History</h2>
        <Loading loaded={payments}>{(body) => <History payments={body.items} />}</Loading>
      </section>
    </div>
  );
}
