import { useState } from 'preact/hooks';
import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { Pack } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { isCheckoutAddress, type Offer, offersOf } from './offers.ts';

/** Set if the service returns an address that must not be opened. */
const unsafeAddress: Failure = {
  code: 'unreadable',
  message: 'The address of the payment page isn’t safe to open. Nothing was charged.',
  fields: {},
  retryAfter: null,
  requestId: null,
};

/** The packs for sale. Buying leads to Stripe's payment page; if payments are not set up, only prices are shown. */
export function PackCards({ packs }: { packs: readonly Pack[] }) {
  const checkout = useAction();
  const [chosen, choose] = useState<string | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const [rejected, setRejected] = useState<Failure | null>(null);
  const isBusy = checkout.isBusy || isLeaving;

  async function buy(pack: string) {
    if (isBusy) return;
    choose(pack);
    setRejected(null);
    const answer = await checkout.run<{ url: string }>('POST', '/v1/payments/checkout', { pack });
    if (answer === null) return;
    if (!isCheckoutAddress(answer.url, location.origin)) {
      setRejected(unsafeAddress);
      return;
    }
    setLeaving(true);
    location.assign(answer.url);
  }

  if (packs.length === 0) return <p class="soft">Nothing is for sale at the moment.</p>;
  return (
    <div class="stack">
      <ul class="packs">
        {offersOf(packs).map((offer) => (
          <PackCard
            key={offer.id}
            offer={offer}
            isOpening={isBusy && chosen === offer.id}
            isBusy={isBusy}
            onBuy={() => buy(offer.id)}
          />
        ))}
      </ul>
      <CheckoutFailure failure={checkout.failure ?? rejected} />
    </div>
  );
}

function PackCard({
  offer,
  isOpening,
  isBusy,
  onBuy,
}: {
  offer: Offer;
  isOpening: boolean;
  isBusy: boolean;
  onBuy: () => void;
}) {
  const { files, amount, currency, isBestValue } = offer;
  return (
    <li class={`card pack ${isBestValue ? 'best' : ''}`}>
      <p class="pack-head">
        <strong>{filesText(files)}</strong>
        {isBestValue && <span class="badge">Best value</span>}
      </p>
      <p class="pack-price">{moneyText(amount, currency)}</p>
      <p class="soft">{thousandFilesPriceText(offer)} per 1,000 files</p>
      {takesPayments() && (
        <button
          class={`button ${isBestValue ? 'primary' : ''}`}
          type="button"
          aria-disabled={isBusy}
          onClick={onBuy}
        >
          {isOpening ? 'Opening the payment page…' : `Buy ${filesText(files)}`}
        </button>
      )}
    </li>
  );
}

function CheckoutFailure({ failure }: { failure: Failure | null }) {
  return failure?.code === 'payments_not_configured' ? (
    <div role="alert">
      <NotConfigured />
    </div>
  ) : (
    <FailureNotice failure={failure} />
  );
}

/** Shown on deployments without payments. */
export function NotConfigured() {
  return (
    <p class="notice warn">
      <strong>Payments aren’t set up on this deployment.</strong> Ask its operator to set them up or
      to add files to your account. Your free files still work.
    </p>
  );
}

/** Whether this deployment takes payments, as stated by the page. */
export function takesPayments(): boolean {
  return document.getElementById('app')?.dataset.payments !== 'off';
}
