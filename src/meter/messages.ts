import type { QuotaTerms } from '../policy/quota.ts';
import type { Flush, KeyFlush } from '../store/mailboxes.ts';

/**
 * How long an unsettled reservation counts, in milliseconds: longer than the slowest response with one result takes, which
 * is 32 MiB at 16 KiB/s plus everything before it.
 */
export const reservationLife = 45 * 60 * 1000;

/**
 * How long after its reservation a set ends, in milliseconds, with the results that have left until then: a client may read
 * many of them for longer than their reservations count. The rest is for a pass of its work, and to book the end.
 */
export const setLife = reservationLife - 5 * 60 * 1000;

/**
 * How long a reservation counts whose result is fetched later, in milliseconds: the upload, the work, and ten minutes
 * for the fetch.
 */
export const awaitedLife = 20 * 60 * 1000;

/** How long a result is known to have been charged, in milliseconds: longer than it can be fetched. */
export const chargedFileLife = 60 * 60 * 1000;

/**
 * CPU time that every reservation includes, in predicted milliseconds. Most work takes less; for work that takes more,
 * the reservation is raised (`raise`) once that is known.
 */
export const reservedCpuMs = 500;

export type ReserveResult =
  | {
      readonly kind: 'reserved';
      readonly userId: string;
      readonly keyId: string;
      /** Files left after this one, free and paid. */
      readonly remaining: number;
      /** The key's usage in the month; only present if the reservation has a purpose. */
      readonly keyUse?: MonthOfKey;
      /** Whether the result has been charged, and will not be charged again. */
      readonly isRepeated?: boolean;
    }
  /** The key is unknown here, has been revoked, or its account deleted; an expired key can be extended. */
  | { readonly kind: 'unknown-key'; readonly isExpired: boolean }
  | { readonly kind: 'exhausted'; readonly keyId: string }
  /** The key has reached its monthly limit, including requests in flight. */
  | { readonly kind: 'key-limit'; readonly keyId: string; readonly limit: number }
  /** The account has reached its limit of files per minute; `seconds` until the next one is allowed. */
  | { readonly kind: 'too-fast'; readonly keyId: string; readonly seconds: number }
  /**
   * The day's uncharged responses or their CPU time are used up (`forToday`), or would be if every request in flight
   * ended uncharged.
   */
  | {
      readonly kind: 'too-many-uncharged';
      readonly keyId: string;
      readonly forToday: boolean;
    };

/** A result of a site that is about to be made, for which a file is reserved. */
export interface ResultRequest {
  readonly siteId: string;
  /** Pseudonym of the image, its path and query: as long as all others, without spaces. */
  readonly path: string;
  /**
   * Pseudonym of the result, which begins with that of its image, without spaces: charged at most once per UTC month.
   */
  readonly file: string;
  /**
   * The number of different results of one image that may be made per UTC month, with those in flight; null if there is
   * no limit.
   */
  readonly maxPerPath: number | null;
  /** The number of results that the site may begin to make per minute, failed ones included. */
  readonly maxPerMinute: number;
}

export type ReserveOfSite =
  | ReserveResult
  /** The site has made as many results of this image as it may in this month. */
  | { readonly kind: 'path-limit'; readonly keyId: string }
  /** The site has begun as many results as it may in this minute. */
  | { readonly kind: 'site-too-fast'; readonly keyId: string; readonly seconds: number };

/** One of several results of a request, for each of which a file is reserved. */
export interface PartOfSet {
  /** Id of its reservation. */
  readonly id: string;
  /** Predicted CPU time in milliseconds. */
  readonly cpuMs: number;
}

/** Whether CPU time was reserved, or would exceed the allowance, with or without what is in flight. */
export type RaiseResult = 'reserved' | 'too-much-in-flight' | 'too-much-today';

/** The usage of a key in a month, in charged files. */
export interface MonthOfKey {
  readonly used: number;
  /** Files that it may still use, not counting requests in flight; null if it has no limit. */
  readonly left: number | null;
}

/** The purpose of a reservation, if it is not for a single request that creates and returns a result. */
export interface ReservationPurpose {
  /** The result is fetched by a later request, which takes over the reservation. */
  readonly awaitsFetch?: boolean;
  /** Id of the reservation of the result to be fetched, which is taken over if it still exists. */
  readonly takesOver?: string;
  /** Pseudonym of the result: if it has been charged, no file is reserved. */
  readonly file?: string;
}

/** The end of a request with a reservation, as it is booked. */
export interface Settlement {
  readonly reservationId: string;
  readonly terms: QuotaTerms;
  /** The sizes of the returned file in bytes; null if the work ended in a refusal. */
  readonly answered: { readonly bytesIn: number; readonly bytesOut: number } | null;
  /** Whether the file is charged to the quota: free first, then paid. */
  readonly charged: boolean;
  /** Pseudonym of the result, if it is charged once however often it is fetched; null: charged every time. */
  readonly file: string | null;
  /** Predicted CPU time of the work in milliseconds. */
  readonly cpuMs: number;
  /** Origin at which the service was called, for links in mails; without a trailing slash. */
  readonly origin: string;
}

/** Facts in a quota mail, as of the time when it is sent. */
export interface MailFacts {
  readonly freeFilesLeft: number;
}

/** The usage of a key. */
export type KeyUse = KeyFlush & { readonly today: number };

/** Sums that are being written to D1. */
export interface PendingFlush extends Flush {
  /** The sequence number up to which lanes are included. */
  readonly upTo: number;
}
