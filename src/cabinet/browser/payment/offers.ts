import type { Pack } from '../api/wire.ts';

/** A pack with what there is to say of its price. */
export interface Offer extends Pack {
  /** For 1,000 files, in minor units of the currency, rounded. */
  readonly perThousand: number;
  readonly isBestValue: boolean;
}

/** What is for sale; the best value is marked where prices can be compared and differ. */
export function offersOf(packs: readonly Pack[]): readonly Offer[] {
  const prices = packs.map(({ amount, files }) => amount / files);
  const lowest = Math.min(...prices);
  const isComparable = new Set(packs.map(({ currency }) => currency)).size === 1;
  const differs = prices.some((price) => price > lowest);
  return packs.map((pack, i) => ({
    ...pack,
    perThousand: Math.round((pack.amount / pack.files) * 1000),
    isBestValue: isComparable && differs && prices[i] === lowest,
  }));
}
