import { z } from 'zod';

/** The current time and the allowances from which a user's quota is computed. */
export interface QuotaTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The UTC date of `now` as YYYY-MM-DD, and its month as YYYY-MM. */
  readonly day: string;
  readonly month: string;
  readonly freeFilesPerMonth: number;
  /** Limits of one account. */
  readonly maxFilesPerMinute: number;
  readonly unchargedPerDay: number;
  /** CPU time of uncharged responses, in milliseconds. */
  readonly unchargedCpuMsPerDay: number;
}

/** The allowances that an operator configures. */
type Allowances = Omit<QuotaTerms, 'now' | 'day' | 'month'>;

export function quotaTerms(now: number, allowances: Allowances): QuotaTerms {
  const { freeFilesPerMonth, maxFilesPerMinute } = allowances;
  const { unchargedPerDay, unchargedCpuMsPerDay } = allowances;
  const [day, month] = [dayOf(now), monthOf(now)];
  return {
    ...{ now, day, month, freeFilesPerMonth, maxFilesPerMinute },
    ...{ unchargedPerDay, unchargedCpuMsPerDay },
  };
}

/**
 * The terms for what anyone on the web can ask an account for: half of what may be uncharged, so that the other half is
 * left to its own keys and signed URLs.
 */
export function termsOfAnyone(terms: QuotaTerms): QuotaTerms {
  return {
    ...terms,
    unchargedPerDay: Math.ceil(terms.unchargedPerDay / 2),
    unchargedCpuMsPerDay: Math.ceil(terms.unchargedCpuMsPerDay / 2),
  };
}

/** Bytes by which a result is smaller than its source. A larger result adds nothing, and takes nothing off either. */
export function savedBytes(bytesIn: number, bytesOut: number): number {
  return Math.max(0, bytesIn - bytesOut);
}

/** A user's balance, in files. */
export interface Balance {
  readonly paidFiles: number;
  /** Free files used in the current month, `QuotaTerms.month`. */
  readonly freeUsed: number;
}

const dayLength = 24 * 60 * 60 * 1000;

/** The UTC day of a timestamp as YYYY-MM-DD. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The UTC month of a timestamp as YYYY-MM; free files are counted per UTC month. */
export function monthOf(milliseconds: number): string {
  return dayOf(milliseconds).slice(0, 7);
}

/** The number of whole months before the current one for which statistics are kept per day. */
export const monthsKeptByDay = 13;

/**
 * The first UTC day, YYYY-MM-01, for which statistics are kept per day: the beginning of the month that was {@link
 * monthsKeptByDay} months ago. Earlier figures are kept as monthly totals.
 */
export function firstDayKept(milliseconds: number): string {
  const now = new Date(milliseconds);
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKeptByDay, 1));
}

/** The beginning of the UTC month after that of `milliseconds`. */
export function nextMonth(milliseconds: number): Date {
  const now = new Date(milliseconds);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** The beginning of the UTC day after that of `milliseconds`. */
export function nextDay(milliseconds: number): Date {
  return new Date(addDays(dayOf(milliseconds), 1));
}

/** The UTC day `count` days after `day`; before it if `count` is negative. */
export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * dayLength);
}

/** The number of days in a range, both ends included; less than one if the range runs backward. */
export function daysIn(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayLength) + 1;
}

/** The occasions on which an account gets a mail about its quota. */
export type QuotaMailKind = 'free-low' | 'free-used-up' | 'pack-low' | 'pack-used-up';

/** The percentage of the free files or of a pack that has to be used before the account is told that little is left. */
const lowPercent = 80;

/** Usage of the free files of a mailbox, for an account without paid files. */
export interface FreeState {
  /** YYYY-MM, UTC. */
  readonly month: string;
  readonly used: number;
  /** Free files per month. */
  readonly limit: number;
}

/** The most recent pack that an account has paid for. */
export interface PackState {
  /** The id of the payment. */
  readonly id: string;
  /** Files granted by the payment. */
  readonly granted: number;
  /** Files left of all granted and bought files. */
  readonly left: number;
}

/** The kind of a mail, and the month or the payment that it is about; each such pair is sent at most once. */
export type DueMail = readonly [kind: QuotaMailKind, period: string];

/**
 * Returns the mails due about the free files. Call it only for accounts without paid files: others can go on when the
 * free files are used up.
 */
export function dueFreeMails({ month, used, limit }: FreeState): readonly DueMail[] {
  if (limit === 0) return [];
  return [
    ...(100 * used >= lowPercent * limit ? [['free-low', month] as const] : []),
    ...(used >= limit ? [['free-used-up', month] as const] : []),
  ];
}

/** Returns the mails due about a pack. Older packs are used up first, so the files left belong to the latest one. */
export function duePackMails({ id, granted, left }: PackState): readonly DueMail[] {
  return [
    ...(100 * left <= (100 - lowPercent) * granted ? [['pack-low', id] as const] : []),
    ...(left === 0 ? [['pack-used-up', id] as const] : []),
  ];
}

const whole = (largest: number) =>
  z.int('should be a whole number').min(1, 'should be 1 at least').max(largest, 'is too large');

const pack = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,32}$/, 'should be 1 to 32 of the characters a-z, 0-9 and "-"'),
  files: whole(1e8),
  /** In the minor unit of the currency, such as cents. */
  amount: whole(1e8),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/, 'should be an ISO 4217 code in lower case, such as "usd"'),
});

/** A number of files for sale, with its price. */
export type QuotaPack = Readonly<z.infer<typeof pack>>;

/** Schema that parses the packs of a deployment from JSON text. */
export const quotaPacks = z
  .string({ error: 'is missing' })
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue(
        'should be JSON such as [{"id":"small","files":1000,"amount":500,"currency":"usd"}]',
      );
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(pack, 'should be a list')
      .min(1, 'should have one pack at least')
      .max(50, 'should have at most 50 packs')
      .refine(
        (packs) => new Set(packs.map(({ id }) => id)).size === packs.length,
        'should not have two packs of one id',
      ),
  );
