/**
 * Currencies that Stripe does not count in hundredths, by their decimals. Not as ISO 4217 or
 * Intl have it: to Stripe, ISK, UGX, HUF and IDR have two (https://docs.stripe.com/currencies).
 */
const decimals: Readonly<Record<string, number>> = {
  ...each('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf', 0),
  ...each('bhd jod kwd omr tnd', 3),
};

/** An amount in Stripe's minor units as its currency is written: `$19.00`, `¥1,900`. */
export function moneyText(amount: number, currency: string): string {
  const digits = decimals[currency.toLowerCase()] ?? 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits);
}

/** Files for an amount in Stripe's minor units. */
export interface Price {
  readonly files: number;
  readonly amount: number;
  readonly currency: string;
}

/** What 1,000 of the files cost, in minor units, rounded as prices are written. */
export function thousandFilesPrice({ files, amount }: Pick<Price, 'files' | 'amount'>): number {
  return Math.round((amount / files) * 1000);
}

/** The same in words: `$3.00`; `under $0.01` for what would be written as nothing. */
export function thousandFilesPriceText(price: Price): string {
  const rounded = thousandFilesPrice(price);
  return rounded === 0
    ? `under ${moneyText(1, price.currency)}`
    : moneyText(rounded, price.currency);
}

function each(currencies: string, digits: number): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}
