import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { keySignUp } from '../../text/interface.ts';
import type { Offer } from './offer.ts';

/** The prices. Packs are shown only where they can be bought. */
export function Prices({ freeFilesPerMonth, packs, stripe, isSignedIn }: Offer) {
  const forSale = stripe ? packs : [];
  return (
    <section class="page page-section" id="prices">
      <h2>
        {forSale.length > 0
          ? 'Pay only for images that get smaller'
          : 'Only images that get smaller count'}
      </h2>
      <p>
        A file counts only if the result is at least 1% smaller. What can’t be made smaller comes
        back free of charge.
      </p>
      <div class="grid prices">
        <div class="card stack price-card">
          <h3>{filesText(freeFilesPerMonth)} a month</h3>
          <p class="price">Free</p>
          <p class="soft">Forever. No card required.</p>
          <p>
            <a class="button primary" href={isSignedIn ? '/cabinet' : keySignUp}>
              {isSignedIn ? 'Open cabinet' : 'Get a free account'}
            </a>
          </p>
        </div>
        {forSale.map((pack) => (
          <div class="card stack price-card" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              One-time payment, {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
            <p>
              <a class="button" href="/cabinet/payment">
                Buy {filesText(pack.files)}
              </a>
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
