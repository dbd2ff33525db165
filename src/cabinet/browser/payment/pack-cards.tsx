import { useState } from 'preact/hooks';
import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { Pack } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { operatorContact } from '../parts/page-facts.ts';
import { isCheckoutAddress, type Offer, offersOf } from './offers.ts';

/** Shown if the service returns a URL that must not be opened. */
const unsafeAddress: Failure = {
  code: 'unreadable',
  message: 'The address of the checkout isn’t safe to open. You weren’t charged.',
  fields: {},
  retryAfter: null,
  requestId: null,
};

/** The packs for sale. Buying leads to Stripe's payment page. */
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

  if (packs.length === 0) return <NothingForSale />;
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
  const { files, amount, currency, isBestValue, isSmallest } = offer;
  return (
    <li class="card pack">
      <p class="pack-head">
        <strong>{filesText(files)}</strong>
        {isBestValue && <span class="badge">Best value</span>}
      </p>
      <p class="pack-price">{moneyText(amount, currency)}</p>
      {!isSmallest && <p class="soft">{thousandFilesPriceText(offer)} per 1,000 files</p>}
      <button class="button" type="button" aria-disabled={isBusy} onClick={onBuy}>
        {isOpening ? 'Opening checkout…' : `Buy ${filesText(files)}`}
      </button>
    </li>
  );
}

function CheckoutFailure({ failure }: { failure: Failure | null }) {
  return failure?.code === 'payments_not_configured' ? (
    <div role="alert">
      <NothingForSale />
    </div>
  ) : (
    <FailureNotice failure={failure} />
  );
}

/** Shown where no files can be bought. */
export function NothingForSale() {
  const contact = operatorContact();
  return (
    <p class="notice">
      <strong>Everything here is free.</strong> This service doesn’t sell files. If your monthly
      free files aren’t enough,{' '}
      {contact !== null ? (
        <>
          <a href={contact}>ask whoever runs it</a> for more.
        </>
      ) : (
        <>
          <a href="/docs/self-hosting">run it yourself</a>.
        </>
      )}
    </p>
  );
}
