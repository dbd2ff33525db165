import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import type { Offer } from './offer.ts';

export function Prices({ freeFilesPerMonth, packs, stripe }: Offer) {
  return (
    <section class="page page-section" id="prices">
      <h2>Pay only for images that get smaller</h2>
      <p>
        A file counts only if the result is at least 1% smaller. What can’t be made smaller comes
        back free of charge.
      </p>
      {!stripe && (
        <p class="soft">Packs can’t be bought here yet: only the free plan is available for now.</p>
      )}
      <div class="grid">
        <div class="card stack">
          <h3>{filesText(freeFilesPerMonth)} a month</h3>
          <p class="price">Free</p>
          <p class="soft">Forever. No card required.</p>
          <p>
            <a class="button primary" href="/sign-in">
              Get a free account
            </a>
          </p>
        </div>
        {packs.map((pack) => (
          <div class="card stack" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              One-time payment, {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
            {stripe && (
              <p>
                <a class="button" href="/cabinet/payment">
                  Buy {filesText(pack.files)}
                </a>
              </p>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
