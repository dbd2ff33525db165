import type { KeyRecord, Quota } from '../api/wire.ts';
import { isExpired, isRevoked } from '../keys/key-state.ts';
import { lowQuotaText } from './quota-words.ts';

/** What there is to do next. */
export type NextStep =
  | { readonly kind: 'create-key' }
  /** The first call, with the newest key. */
  | { readonly kind: 'first-call'; readonly key: KeyRecord }
  | { readonly kind: 'low-quota'; readonly text: string }
  | { readonly kind: 'explore' };

/** @param keys the newest first */
export function nextStep(keys: readonly KeyRecord[], quota: Quota, now: number): NextStep {
  // a file is counted a moment after its answer, and the key is used before that
  const hasCalled = keys.some((key) => key.last_used_at !== null || key.all_time_used > 0);
  const newest = keys.find((key) => !isRevoked(key, now) && !isExpired(key, now));
  if (newest === undefined && !hasCalled) return { kind: 'create-key' };
  if (newest !== undefined && !hasCalled) return { kind: 'first-call', key: newest };
  const text = lowQuotaText(quota);
  if (text !== null) return { kind: 'low-quota', text };
  return newest === undefined ? { kind: 'create-key' } : { kind: 'explore' };
}

/** Keys that are not revoked, the one used last first; those that were never used come last, the newest first. */
export function byLastUse(keys: readonly KeyRecord[], now: number): readonly KeyRecord[] {
  return keys
    .filter((key) => !isRevoked(key, now))
    .toSorted((one, other) => (other.last_used_at ?? '').localeCompare(one.last_used_at ?? ''));
}
