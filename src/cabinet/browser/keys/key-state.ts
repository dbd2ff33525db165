import { agoText, countText, filesText, sizeChangeText, sizeText } from '../../text/formatting.ts';
import type { KeyRecord, KeyRequest } from '../api/wire.ts';

/** A key that expires within this time, in milliseconds, gets a warning. */
const warningPeriod = 7 * 24 * 3600 * 1000;

/** The special state of a key, in a word or two. */
export interface Badge {
  /** CSS class of the badge: neutral, a warning, or a key that is refused. */
  readonly look: 'off' | 'warn' | 'error';
  readonly text: string;
}

/** Whether a key has stopped working for good. A replaced key does so at the end of its overlap. */
export function isRevoked({ status, revokes_at }: KeyRecord, now: number): boolean {
  return status === 'revoked' || (revokes_at !== null && Date.parse(revokes_at) <= now);
}

/** Whether a key has been replaced, and still works until the end of its overlap. */
export function isBeingReplaced(record: KeyRecord, now: number): boolean {
  return record.revokes_at !== null && !isRevoked(record, now);
}

export function isExpired({ expires_at }: KeyRecord, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}

/** What a key or site has used of its monthly limit. */
type MonthUse = Pick<KeyRecord, 'monthly_limit' | 'month_used'>;

export function isLimitReached({ monthly_limit, month_used }: MonthUse): boolean {
  return monthly_limit !== null && month_used >= monthly_limit;
}

/** The badge of a key; null if the key works normally, or is revoked, which its list states. */
export function badgeOf(record: KeyRecord, now: number): Badge | null {
  const { expires_at } = record;
  if (isRevoked(record, now)) return null;
  if (isExpired(record, now)) return { look: 'error', text: 'Expired' };
  if (record.revokes_at !== null) return { look: 'off', text: 'Being replaced' };
  if (isLimitReached(record)) return { look: 'warn', text: 'Limit reached' };
  if (expires_at !== null && Date.parse(expires_at) - now <= warningPeriod) {
    return { look: 'warn', text: timeLeftText(Date.parse(expires_at) - now) };
  }
  return null;
}

/** Remaining time, rounded down: `3 days left`, `2 hours left`. */
function timeLeftText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  if (hours < 1) return 'Under 1 hour left';
  const [count, unit] = hours < 24 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} left`;
}

/** The age of an event in short form, for narrow lines: `3 min ago`, `2 hr ago`, `5 days ago`. */
export function briefAgoText(timestamp: string, now: number): string {
  return agoText(timestamp, now)
    .replace(/minutes?/, 'min')
    .replace(/hours?/, 'hr');
}

/** Files or results of this month, with the limit if there is one: `1,284`, `1,284 of 5,000`. */
export function monthText({ month_used, monthly_limit }: MonthUse): string {
  const used = countText(month_used);
  return monthly_limit === null ? used : `${used} of ${countText(monthly_limit)}`;
}

/** The files that the account has left; null: not known. */
export type FilesLeft = number | null;

/** What the account has left, where a monthly limit promises more than that; null elsewhere. */
export function filesLeftText(
  { month_used: used, monthly_limit: limit }: MonthUse,
  left: FilesLeft,
): string | null {
  if (left === null || limit === null || left >= limit - used) return null;
  return `Your account has ${filesText(left)} left.`;
}

/** An action on a key. */
export type KeyAction = 'code' | 'copy' | 'requests' | 'edit' | 'rotate' | 'revoke';

const labels: Readonly<Record<KeyAction, string>> = {
  code: 'Show code',
  copy: 'Copy key',
  requests: 'Requests',
  edit: 'Edit…',
  rotate: 'Rotate…',
  revoke: 'Revoke…',
};

/**
 * The actions available for a key, with their labels. There are none for a revoked key, and a key being replaced cannot
 * be rotated.
 */
export function actionsOf(record: KeyRecord, now: number): readonly [KeyAction, string][] {
  if (isRevoked(record, now)) return [];
  const isPossible: Readonly<Record<KeyAction, boolean>> = {
    code: true,
    copy: record.key !== undefined,
    requests: true,
    edit: true,
    rotate: record.revokes_at === null,
    revoke: true,
  };
  const actions = ['code', 'copy', 'requests', 'edit', 'rotate', 'revoke'] as const;
  return actions.filter((action) => isPossible[action]).map((action) => [action, labels[action]]);
}

/** The page with the requests of a key. */
export function requestsAddress(keyId: string): string {
  return `/cabinet/keys?requests=${encodeURIComponent(keyId)}`;
}

/** Whether a request has failed: no client needs to care about the others. */
export function isError({ status }: Pick<KeyRequest, 'status'>): boolean {
  return status >= 400;
}

/** Whether an image was sent back that is not charged because it is less than 1% smaller, or larger. */
export function isNoSmaller({
  charged,
  bytes_in: source,
  bytes_out: result,
}: Pick<KeyRequest, 'charged' | 'bytes_in' | 'bytes_out'>): boolean {
  return charged === 0 && source !== null && result !== null && result > source * 0.99;
}

/** The size of the source, and that of the results: `4.03 → 1.30 MB`; empty if there is neither. */
export function sizesText({
  bytes_in: source,
  bytes_out: result,
}: Pick<KeyRequest, 'bytes_in' | 'bytes_out'>): string {
  if (source === null) return result === null ? '' : `→ ${sizeText(result)}`;
  return result === null ? sizeText(source) : sizeChangeText(source, result);
}
