import { agoText, countText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';

/** Milliseconds before the end of a key from which on it is said to expire soon. */
const soon = 7 * 24 * 3600 * 1000;

/** What is special about a key, in a word or two. */
export interface Badge {
  /** Class of the badge: calm, a warning, or a key that is refused. */
  readonly look: 'off' | 'warn' | 'error';
  readonly text: string;
}

/** Whether a key has stopped working for good. One that its replacement outlives ends by itself. */
export function isRevoked({ status, revokes_at }: KeyRecord, now: number): boolean {
  return status === 'revoked' || (revokes_at !== null && Date.parse(revokes_at) <= now);
}

/** Whether a key works only until its replacement is in place everywhere. */
export function isBeingReplaced(record: KeyRecord, now: number): boolean {
  return record.revokes_at !== null && !isRevoked(record, now);
}

export function isExpired({ expires_at }: KeyRecord, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}

export function isLimitReached({ monthly_limit, month_used }: KeyRecord): boolean {
  return monthly_limit !== null && month_used >= monthly_limit;
}

/** The badge of a key. Null if it simply works, or was revoked, which its list says. */
export function badgeOf(record: KeyRecord, now: number): Badge | null {
  const { expires_at } = record;
  if (isRevoked(record, now)) return null;
  if (isExpired(record, now)) return { look: 'error', text: 'Expired' };
  if (record.revokes_at !== null) return { look: 'off', text: 'Being replaced' };
  if (isLimitReached(record)) return { look: 'warn', text: 'Limit reached' };
  if (expires_at !== null && Date.parse(expires_at) - now <= soon) {
    return { look: 'warn', text: timeLeftText(Date.parse(expires_at) - now) };
  }
  return null;
}

/** A time to go, rounded down: `3 days left`, `2 hours left`. */
function timeLeftText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  if (hours < 1) return 'Under 1 hour left';
  const [count, unit] = hours < 24 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} left`;
}

/** How long ago something was, for lines without much room: `3 min ago`, `2 hr ago`, `5 days ago`. */
export function briefAgoText(timestamp: string, now: number): string {
  return agoText(timestamp, now)
    .replace(/minutes?/, 'min')
    .replace(/hours?/, 'hr');
}

/** Files of this month, with the limit if there is one: `1,284`, `1,284 of 5,000`. */
export function monthText({ month_used, monthly_limit }: KeyRecord): string {
  const used = countText(month_used);
  return monthly_limit === null ? used : `${used} of ${countText(monthly_limit)}`;
}

/** What can be chosen for a key. */
export type KeyAction = 'code' | 'copy' | 'edit' | 'rotate' | 'revoke';

const labels: Readonly<Record<KeyAction, string>> = {
  code: 'Show code',
  copy: 'Copy key',
  edit: 'Edit…',
  rotate: 'Rotate…',
  revoke: 'Revoke…',
};

/**
 * What can be done with a key, and what that is called: nothing with a revoked one. One that is being
 * replaced is not replaced again.
 */
export function actionsOf(record: KeyRecord, now: number): readonly [KeyAction, string][] {
  if (isRevoked(record, now)) return [];
  const isPossible: Readonly<Record<KeyAction, boolean>> = {
    code: true,
    copy: record.key !== undefined,
    edit: true,
    rotate: record.revokes_at === null,
    revoke: true,
  };
  const actions = ['code', 'copy', 'edit', 'rotate', 'revoke'] as const;
  return actions.filter((action) => isPossible[action]).map((action) => [action, labels[action]]);
}
