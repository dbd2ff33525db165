import { useState } from 'preact/hooks';
import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { Pack } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { isCheckoutAddress, type Offer, offersOf } from './offers.ts';

const strange: Failure = {
  code: 'unreadable',
  message: 'The payment page has an address that is not safe to open. Nothing was charged.',
  fields: {},
  retryAfter: null,
  requestId: null,
};

/** What can be bought; buying leads to the payment page of Stripe. Without payments, prices alone. */
export function PackCards({ packs }: { packs: readonly Pack[] }) {
  const checkout = useAction();
  const [chosen, choose] = useState<string | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const [refused, setRefused] = useState<Failure | null>(null);
  const isBusy = checkout.isBusy || isLeaving;

  async function buy(pack: string) {
    if (isBusy) return;
    choose(pack);
    setRefused(null);
    const answer = await checkout.run<{ url: string }>('POST', '/v1/payments/checkout', { pack });
    if (answer === null) return;
    if (!isCheckoutAddress(answer.url, location.origin)) {
      setRefused(strange);
      return;
    }
    setLeaving(true);
    location.assign(answer.url);
  }

  if (packs.length === 0) return <p class="soft">Nothing is for sale here at the moment.</p>;
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
      <Trouble failure={checkout.failure ?? refused} />
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
          {isOpening ? 'Opening the payment page …' : `Buy ${filesText(files)}`}
        </button>
      )}
    </li>
  );
}

function Trouble({ failure }: { failure: Failure | null }) {
  return failure?.code === 'payments_not_configured' ? (
    <div role="alert">
      <NotConfigured />
    </div>
  ) : (
    <FailureNotice failure={failure} />
  );
}

/** What is said where nobody can be paid. */
export function NotConfigured() {
  return (
    <p class="notice warn">
      <strong>Payments are not set up on this deployment.</strong> Ask whoever runs it to set them
      up, or to add files to your account. Your free files work all the same.
    </p>
  );
}

/** Whether anything can be bought on this deployment, as the page says it. */
export function takesPayments(): boolean {
  return document.getElementById('app')?.dataset.payments !== 'off';
}
