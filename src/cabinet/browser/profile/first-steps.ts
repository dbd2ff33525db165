import type { KeyRecord } from '../api/wire.ts';

/** How far someone has come on the way to a first picture; null when they have arrived. */
export function firstStep(keys: readonly KeyRecord[]): 'make-key' | 'send-picture' | null {
  if (keys.some(({ all_time_used: used }) => used > 0)) return null;
  return keys.some(({ status }) => status === 'active') ? 'send-picture' : 'make-key';
}
