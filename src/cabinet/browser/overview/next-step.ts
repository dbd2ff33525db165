import type { KeyRecord, Quota } from '../api/wire.ts';
import { lowQuotaText } from './quota-words.ts';

/** What there is to do next. */
export type NextStep =
  | { readonly kind: 'create-key' }
  /** The first call, with the newest key. */
  | { readonly kind: 'first-call'; readonly key: KeyRecord }
  | { readonly kind: 'low-quota'; readonly text: string }
  | { readonly kind: 'explore' };

/** @param keys the newest first */
export function nextStep(keys: readonly KeyRecord[], quota: Quota): NextStep {
  // a file is counted a moment after its answer, and the key is used before that
  const hasCalled = keys.some((key) => key.last_used_at !== null || key.all_time_used > 0);
  const newest = keys.find(({ status }) => status === 'active');
  if (newest === undefined && !hasCalled) return { kind: 'create-key' };
  if (newest !== undefined && !hasCalled) return { kind: 'first-call', key: newest };
  const text = lowQuotaText(quota);
  if (text !== null) return { kind: 'low-quota', text };
  return newest === undefined ? { kind: 'create-key' } : { kind: 'explore' };
}

/** Keys that work, the one used last first; those that were never used come last, the newest first. */
export function byLastUse(keys: readonly KeyRecord[]): readonly KeyRecord[] {
  return keys
    .filter(({ status }) => status === 'active')
    .toSorted((one, other) => (other.last_used_at ?? '').localeCompare(one.last_used_at ?? ''));
}
