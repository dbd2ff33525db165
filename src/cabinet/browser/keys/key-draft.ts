import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';

/** When a key shall expire: never, after so many days, on a date, or when it already does. */
export type Expiry = 'none' | '30' | '90' | '365' | 'date' | 'kept';

/** What is typed and chosen in the form of a key. */
export interface Draft {
  readonly name: string;
  readonly comment: string;
  /** As typed; empty for no limit. */
  readonly limit: string;
  readonly expiry: Expiry;
  /** YYYY-MM-DD, the last day on which the key works; of interest if `expiry` is `date`. */
  readonly date: string;
}

/** What the service takes. */
export interface KeySettings {
  readonly name: string;
  readonly comment: string;
  readonly monthly_limit: number | null;
  readonly expires_at: string | null;
}

export type DraftErrors = { readonly [Field in keyof KeySettings]?: string };

/** In Unicode code points: most emoji count as one. */
export const maxLengths = { name: 100, comment: 500 } as const;

/** The largest monthly limit, in files. */
export const maxMonthlyLimit = 100_000_000;

const day = 24 * 3600 * 1000;

/** The end of what the service takes as a time: years have four digits. */
const latest = Date.UTC(9999, 11, 31);

export const emptyDraft: Draft = { name: '', comment: '', limit: '', expiry: 'none', date: '' };

/** The draft that changes nothing of a key. */
export function draftOf({ name, comment, monthly_limit, expires_at }: KeySettings): Draft {
  const limit = monthly_limit === null ? '' : countText(monthly_limit);
  return { name, comment, limit, expiry: expires_at === null ? 'none' : 'kept', date: '' };
}

/** Errors that can be found without asking the service. */
export function draftErrors(draft: Draft, now: number): DraftErrors {
  const { name, comment, limit, expiry, date } = draft;
  return {
    ...(visible.test(name)
      ? labelError('name', name.trim(), maxLengths.name)
      : { name: 'Give the key a name.' }),
    ...labelError('comment', comment, maxLengths.comment),
    ...(Number.isNaN(limitOf(limit)) && {
      monthly_limit: `Enter a whole number from 1 to ${countText(maxMonthlyLimit)}, or nothing.`,
    }),
    ...(expiry === 'date' && dateError(date, now)),
  };
}

/** Something of a name has to be seen. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Control characters, halves of surrogate pairs, line separators, and what changes the direction of the text around it. */
const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function labelError(field: 'name' | 'comment', text: string, maxLength: number): DraftErrors {
  const length = [...text].length;
  if (length > maxLength) {
    return { [field]: `Too long: ${length} characters. The limit is ${maxLength}.` };
  }
  return forbidden.test(text) ? { [field]: 'Remove invisible control characters.' } : {};
}

function dateError(date: string, now: number): DraftErrors {
  const end = endOfDay(date);
  if (end === null) return { expires_at: 'Choose a date.' };
  if (end >= latest) return { expires_at: 'Choose an earlier day.' };
  return end <= now ? { expires_at: 'Choose today or a later day.' } : {};
}

/** A whole number, with or without separators of thousands. */
const wholeNumber = /^(\d+|\d{1,3}([\s.,'’]\d{3})+)$/;

/** The typed limit; null for none, NaN if it is not a limit. */
function limitOf(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  const limit = wholeNumber.test(text) ? Number(text.replace(/\D/g, '')) : Number.NaN;
  return limit >= 1 && limit <= maxMonthlyLimit ? limit : Number.NaN;
}

/** The end of a day of the reader's calendar, in milliseconds. Null if it is no day. */
function endOfDay(date: string): number | null {
  const [year, month, dayOfMonth] = date.split('-').map(Number);
  if (!year || !month || !dayOfMonth) return null;
  const end = new Date(year, month - 1, dayOfMonth + 1).getTime();
  return Number.isNaN(end) ? null : end;
}

/**
 * When a key of this draft expires, as an ISO timestamp.
 * @param kept the present expiry of the key
 */
export function expiresAt(
  { expiry, date }: Pick<Draft, 'expiry' | 'date'>,
  kept: string | null,
  now: number,
): string | null {
  if (expiry === 'none') return null;
  if (expiry === 'kept') return kept;
  const end = expiry === 'date' ? endOfDay(date) : now + Number(expiry) * day;
  return end === null ? null : new Date(end).toISOString();
}

/** What is sent for a new key. The draft has no errors. */
export function newKeySettings(draft: Draft, now: number): KeySettings {
  return {
    name: draft.name.trim(),
    comment: draft.comment,
    monthly_limit: limitOf(draft.limit),
    expires_at: expiresAt(draft, null, now),
  };
}

/** The settings that were changed, which are all that is sent. Null if none was. */
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

/** Errors reported by the service, by field, as sentences. */
export function serviceErrors(failure: Failure | null): DraftErrors {
  const fields = failure?.fields ?? {};
  const known = Object.entries(subjects).filter(([field]) => fields[field] !== undefined);
  return Object.fromEntries(
    known.map(([field, subject]) => [field, `${subject} ${fields[field]}.`]),
  );
}

/** Joins pasted lines: a comment is a single line. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}

/** The present day of the reader's calendar: YYYY-MM-DD. */
export function todayOf(now: number): string {
  const date = new Date(now);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
