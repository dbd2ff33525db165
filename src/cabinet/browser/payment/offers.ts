import { thousandFilesPrice } from '../../text/formatting.ts';
import type { Pack } from '../api/wire.ts';

/** A pack, and how its price compares with the others. */
export interface Offer extends Pack {
  readonly isBestValue: boolean;
  /** Whether it is the smallest pack, with which the others are compared. */
  readonly isSmallest: boolean;
}

/** The packs for sale. A pack is the best value if its displayed price per file is lower than all others. */
export function offersOf(packs: readonly Pack[]): readonly Offer[] {
  const prices = packs.map(thousandFilesPrice);
  const lowest = Math.min(...prices);
  const isComparable =
    packs.length > 1 && new Set(packs.map(({ currency }) => currency)).size === 1;
  const isUnique = prices.filter((price) => price === lowest).length === 1;
  const fewest = Math.min(...packs.map(({ files }) => files));
  return packs.map((pack, i) => ({
    ...pack,
    isBestValue: isComparable && isUnique && prices[i] === lowest,
    isSmallest: packs.length > 1 && pack.files === fewest,
  }));
}

/**
 * Whether the browser may navigate to a checkout URL: any over HTTPS, and over HTTP only the service itself or, if the
 * service runs locally, another port of this machine.
 */
export function isCheckoutAddress(address: string, ownOrigin: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  return url.origin === ownOrigin || (isLocal(url) && isLocal(new URL(ownOrigin)));
}

function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}
