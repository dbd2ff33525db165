import { thousandFilesPrice } from '../../text/money.ts';
import type { Pack } from '../api/wire.ts';

/** A pack with what there is to say of its price. */
export interface Offer extends Pack {
  readonly isBestValue: boolean;
}

/** What is for sale. The best value is the one pack that people can see to be cheaper than all others. */
export function offersOf(packs: readonly Pack[]): readonly Offer[] {
  const prices = packs.map(thousandFilesPrice);
  const lowest = Math.min(...prices);
  const isComparable =
    packs.length > 1 && new Set(packs.map(({ currency }) => currency)).size === 1;
  const isAlone = prices.filter((price) => price === lowest).length === 1;
  return packs.map((pack, i) => ({
    ...pack,
    isBestValue: isComparable && isAlone && prices[i] === lowest,
  }));
}
