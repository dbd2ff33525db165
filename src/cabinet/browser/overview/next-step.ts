import type { KeyRecord, Quota } from '../api/wire.ts';
import { isExpired, isRevoked } from '../keys/key-state.ts';
import type { Forecast } from './forecast.ts';
import { lowQuotaText, quotaLevel, runsOutText } from './quota-words.ts';

/** The suggested next step. */
export type NextStep =
  | { readonly kind: 'create-key' }
  /** The first call, with the newest key. */
  | { readonly kind: 'first-call'; readonly key: KeyRecord }
  | { readonly kind: 'used-up'; readonly text: string }
  | { readonly kind: 'low-quota'; readonly text: string }
  /** Files are left, but at the current pace not until the next reset. */
  | { readonly kind: 'runs-out'; readonly text: string }
  | { readonly kind: 'explore' };

/**
 * Determines the next step.
 * @param keys newest first
 * @param coming null if not yet known
 */
export function nextStep(
  keys: readonly KeyRecord[],
  quota: Quota,
  coming: Forecast | null,
  now: number,
): NextStep {
  const low = lowQuotaText(quota);
  if (low !== null && quotaLevel(quota) === 'used-up') return { kind: 'used-up', text: low };
  // A file is counted shortly after its response, and the key's last use is recorded before that.
  const hasCalled = keys.some((key) => key.last_used_at !== null || key.all_time_used > 0);
  const newest = keys.find((key) => !isRevoked(key, now) && !isExpired(key, now));
  if (newest === undefined && !hasCalled) return { kind: 'create-key' };
  if (newest !== undefined && !hasCalled) return { kind: 'first-call', key: newest };
  if (low !== null) return { kind: 'low-quota', text: low };
  const late = coming && runsOutText(coming, quota);
  if (late !== null) return { kind: 'runs-out', text: late };
  return newest === undefined ? { kind: 'create-key' } : { kind: 'explore' };
}

/** Keys that are not revoked, most recently used first; unused keys come last, newest first. */
export function byLastUse(keys: readonly KeyRecord[], now: number): readonly KeyRecord[] {
  return keys
    .filter((key) => !isRevoked(key, now))
    .toSorted((one, other) => (other.last_used_at ?? '').localeCompare(one.last_used_at ?? ''));
}
