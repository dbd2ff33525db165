import type { QuotaTerms } from '../policy/quota.ts';
import type { Flush, KeyFlush } from '../store/mailboxes.ts';

/**
 * How long an unsettled reservation counts, in milliseconds: longer than the slowest answer takes to leave, which is
 * 32 MiB at 16 KiB a second, with all that comes before it.
 */
export const reservationLife = 45 * 60 * 1000;

/** How long one counts whose result is fetched later, likewise: the upload, the work, and ten minutes for the fetch. */
export const awaitedLife = 20 * 60 * 1000;

/** For how long after it was charged a file is not charged again, in milliseconds. */
export const chargedFileLife = 60 * 60 * 1000;

/**
 * Computing time that every reservation includes, in predicted milliseconds. Most work takes less; what takes more is
 * raised to it (`raise`) once that is known.
 */
export const reservedCpuMs = 500;

export type ReserveResult =
  | {
      readonly kind: 'reserved';
      readonly userId: string;
      readonly keyId: string | null;
      /** Files left after this one, free and paid. */
      readonly remaining: number;
      /** What the key has used of the month; told only where the reservation has a purpose of its own. */
      readonly keyUse?: MonthOfKey;
      /** The file has been charged of late, and will not be again. */
      readonly isRepeated?: boolean;
    }
  /** The key or the user is not known here, or has been revoked or deleted; an expired key can be extended. */
  | { readonly kind: 'unknown-caller'; readonly isExpired: boolean }
  | { readonly kind: 'exhausted'; readonly keyId: string | null }
  /** The key has used as many files of the month as it may, or is about to. */
  | { readonly kind: 'key-limit'; readonly keyId: string; readonly limit: number }
  /** As many files have been reserved within this minute as may be; `seconds` until the next one. */
  | { readonly kind: 'too-fast'; readonly keyId: string | null; readonly seconds: number }
  /** The day's uncharged answers or their computing time are used up, or would be if every request in flight ended as one. */
  | {
      readonly kind: 'too-many-uncharged';
      readonly keyId: string | null;
      readonly forToday: boolean;
    };

/** What a key has used of the month, in charged files. */
export interface MonthOfKey {
  readonly used: number;
  /** What it may still use after what is promised; null: it has no limit of its own. */
  readonly left: number | null;
}

/** What a reservation is for, where that is not a single request that makes a result and answers with it. */
export interface ReservationPurpose {
  /** The result is fetched by a later request, which takes over the reservation. */
  readonly awaitsFetch?: boolean;
  /** The reservation of the result that is to be fetched, which is taken over where it still stands. */
  readonly takesOver?: string;
  /** The file by a pseudonym: if it has been charged of late, none is reserved. */
  readonly file?: string;
}

/** The end of a request with a reservation, as it is booked. */
export interface Settlement {
  readonly reservationId: string;
  readonly terms: QuotaTerms;
  /** The file that was answered, sizes in bytes; null: the work led to a refusal. */
  readonly answered: { readonly bytesIn: number; readonly bytesOut: number } | null;
  /** Whether the file is taken off the quota: free first, then paid. */
  readonly charged: boolean;
  /** The file by a pseudonym, which is charged once in an hour; null: whenever it comes. */
  readonly file: string | null;
  /** What the work was predicted to take, in milliseconds. */
  readonly cpuMs: number;
  /** Where the service was called, for links in mails; without a slash at the end. */
  readonly origin: string;
}

/** What a mail about quota says of the moment at which it is sent. */
export interface MailFacts {
  readonly freeFilesLeft: number;
}

/** How much a key has been used. */
export type KeyUse = KeyFlush & { readonly today: number };

/** Sums that are on their way to D1. */
export interface PendingFlush extends Flush {
  /** What was counted by then is in them. */
  readonly upTo: number;
}
