import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import type { Offer } from './offer.ts';

export function Prices({ freeFilesPerMonth, packs, stripe }: Offer) {
  return (
    <section class="page page-section" id="prices">
      <h2>Pay only for images that get smaller</h2>
      <p>
        An image counts only if the result is at least 1% smaller. Images that can’t be made smaller
        come back free of charge.
      </p>
      {!stripe && (
        <p class="soft">Packs can’t be bought here yet, but the free files can be used.</p>
      )}
      <div class="grid">
        <div class="card stack">
          <h3>Free</h3>
          <p class="price">{filesText(freeFilesPerMonth)}</p>
          <p class="soft">every month, no card required</p>
        </div>
        {packs.map((pack) => (
          <div class="card stack" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              one-time; {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
