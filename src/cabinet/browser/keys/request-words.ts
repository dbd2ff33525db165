import { countText, sizeChangeText, sizeText } from '../../text/formatting.ts';
import type { KeyRequest } from '../api/wire.ts';

/** The page with the requests of a key. */
export function requestsAddress(keyId: string): string {
  return `/cabinet/keys?requests=${encodeURIComponent(keyId)}`;
}

/** Whether a request has failed: no client needs to care about the others. */
export function isError({ status }: Pick<KeyRequest, 'status'>): boolean {
  return status >= 400;
}

/** The size of the source, and that of the results: `4.03 → 1.30 MB`; empty if there is neither. */
export function sizesText({
  bytes_in: source,
  bytes_out: result,
}: Pick<KeyRequest, 'bytes_in' | 'bytes_out'>): string {
  if (source === null) return result === null ? '' : `→ ${sizeText(result)}`;
  return result === null ? sizeText(source) : sizeChangeText(source, result);
}

/** How many results were charged: `1 charged`, `6 charged`; empty if none was. */
export function resultsText({ charged }: Pick<KeyRequest, 'charged'>): string {
  return charged === 0 ? '' : `${countText(charged)} charged`;
}
