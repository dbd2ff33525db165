import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';

/** When a key expires: never, after a number of days, on a date, or as before. */
export type Expiry = 'none' | '30' | '90' | '365' | 'date' | 'kept';

/** The contents of the key form. */
export interface Draft {
  readonly name: string;
  readonly comment: string;
  /** As typed; empty for no limit. */
  readonly limit: string;
  readonly expiry: Expiry;
  /** YYYY-MM-DD, the last day on which the key works; used if `expiry` is `date`. */
  readonly date: string;
}

/** The settings that the service accepts. */
export interface KeySettings {
  readonly name: string;
  readonly comment: string;
  readonly monthly_limit: number | null;
  readonly expires_at: string | null;
}

export type DraftErrors = { readonly [Field in keyof KeySettings]?: string };

/** Maximum lengths in Unicode code points; most emoji count as one. */
export const maxLengths = { name: 100, comment: 500 } as const;

/** The largest monthly limit, in files. */
export const maxMonthlyLimit = 100_000_000;

const day = 24 * 3600 * 1000;

/** The latest time that the service accepts: years have four digits. */
const latest = Date.UTC(9999, 11, 31);

export const emptyDraft: Draft = { name: '', comment: '', limit: '', expiry: 'none', date: '' };

/** A draft that leaves all settings of a key unchanged. */
export function draftOf({ name, comment, monthly_limit, expires_at }: KeySettings): Draft {
  const limit = monthly_limit === null ? '' : countText(monthly_limit);
  return { name, comment, limit, expiry: expires_at === null ? 'none' : 'kept', date: '' };
}

/** Errors that are detected without a request to the service. */
export function draftErrors(draft: Draft, now: number): DraftErrors {
  const { name, comment, limit, expiry, date } = draft;
  return {
    ...labelError('name', nameErrorOf(name, 'key')),
    ...labelError('comment', textErrorOf(comment, maxLengths.comment)),
    ...(Number.isNaN(limitOf(limit)) && {
      monthly_limit: `Enter a whole number from 1 to ${countText(maxMonthlyLimit)}, or nothing.`,
    }),
    ...(expiry === 'date' && dateError(date, now)),
  };
}

/** A name has to contain at least one visible character. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Control characters, lone surrogates, line separators, and characters that change the direction of surrounding text.
 */
const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function labelError(field: 'name' | 'comment', error: string | null): DraftErrors {
  return error === null ? {} : { [field]: error };
}

/** What is wrong with the name of a key or site; null if nothing is. */
export function nameErrorOf(name: string, noun: 'key' | 'site'): string | null {
  if (!visible.test(name)) return `Give the ${noun} a name.`;
  return textErrorOf(name.trim(), maxLengths.name);
}

function textErrorOf(text: string, maxLength: number): string | null {
  const length = [...text].length;
  if (length > maxLength) return `Too long: ${length} characters. The limit is ${maxLength}.`;
  return forbidden.test(text) ? 'Remove invisible control characters.' : null;
}

function dateError(date: string, now: number): DraftErrors {
  const end = endOfDay(date);
  if (end === null) return { expires_at: 'Choose a date.' };
  if (end >= latest) return { expires_at: 'Choose an earlier day.' };
  return end <= now ? { expires_at: 'Choose today or a later day.' } : {};
}

/** A whole number, with or without thousands separators. */
const wholeNumber = /^(\d+|\d{1,3}([\s.,'’]\d{3})+)$/;

/** The typed limit; null for no limit, NaN if it is invalid. */
export function limitOf(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  const limit = wholeNumber.test(text) ? Number(text.replace(/\D/g, '')) : Number.NaN;
  return limit >= 1 && limit <= maxMonthlyLimit ? limit : Number.NaN;
}

/** The end of a day in the user's time zone, in milliseconds; null if the day is invalid. */
function endOfDay(date: string): number | null {
  const [year, month, dayOfMonth] = date.split('-').map(Number);
  if (!year || !month || !dayOfMonth) return null;
  const end = new Date(year, month - 1, dayOfMonth + 1).getTime();
  return Number.isNaN(end) ? null : end;
}

/**
 * The expiry of a key with this draft, as an ISO timestamp.
 * @param kept the key's current expiry
 */
export function expiresAt(
  { expiry, date }: Pick<Draft, 'expiry' | 'date'>,
  currentExpiry: string | null,
  now: number,
): string | null {
  if (expiry === 'none') return null;
  if (expiry === 'kept') return currentExpiry;
  const end = expiry === 'date' ? endOfDay(date) : now + Number(expiry) * day;
  return end === null ? null : new Date(end).toISOString();
}

/** The settings to send for a new key. The draft must have no errors. */
export function newKeySettings(draft: Draft, now: number): KeySettings {
  return {
    name: draft.name.trim(),
    comment: draft.comment,
    monthly_limit: limitOf(draft.limit),
    expires_at: expiresAt(draft, null, now),
  };
}

/** The changed settings, which are the only ones sent; null if there are none. */
export function changedSettings(
  before: KeySettings,
  draft: Draft,
  now: number,
): Partial<KeySettings> | null {
  const after: KeySettings = {
    ...newKeySettings(draft, now),
    expires_at: expiresAt(draft, before.expires_at, now),
  };
  const fields = ['name', 'comment', 'monthly_limit', 'expires_at'] as const;
  const changed = fields.filter((field) => after[field] !== before[field]);
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}

const subjects = {
  name: 'The name',
  comment: 'The comment',
  monthly_limit: 'The monthly limit',
  expires_at: 'The expiry',
} as const;

/** Errors reported by the service, as sentences by field. */
export function serviceErrors(failure: Failure | null): DraftErrors {
  const fields = failure?.fields ?? {};
  const known = Object.entries(subjects).filter(([field]) => fields[field] !== undefined);
  return Object.fromEntries(
    known.map(([field, subject]) => [field, `${subject} ${fields[field]}.`]),
  );
}

/** Joins pasted lines, because a comment is a single line. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}

/** Today's date in the user's time zone, as YYYY-MM-DD. */
export function todayOf(now: number): string {
  const date = new Date(now);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
