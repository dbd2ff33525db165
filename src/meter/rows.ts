import type { QuotaMailKind } from '../policy/quota.ts';
import type { ResultRequest } from './messages.ts';

/** The state of the mailbox as a whole. Figures do not include those of the lanes. */
export interface MailboxRow {
  version: number;
  freeMonth: string;
  freeUsed: number;
  unchargedDay: string;
  uncharged: number;
  unchargedCpu: number;
  flush: number;
  flushedSeq: number;
}

export interface AccountRow {
  readonly userId: string;
  version: number;
  isDeleted: boolean;
  granted: number;
  credited: number;
  used: number;
}

export interface PaymentRow {
  readonly id: string;
  readonly userId: string;
  version: number;
  granted: number;
  standing: number;
  /** Milliseconds since 1970; null if it has not been paid. */
  paidAt: number | null;
}

export interface KeyRow {
  readonly id: string;
  readonly userId: string;
  hash: string;
  version: number;
  isRevoked: boolean;
  isReported: boolean;
  allTime: number;
  lastUsedAt: number | null;
  /** Maximum charged files per month, of a site: results made; null if there is no limit. */
  monthlyLimit: number | null;
  /** Milliseconds since 1970 at which the key expires, until it is extended; null: never. */
  expiresAt: number | null;
  /** Milliseconds since 1970 at which the replaced key is revoked; null if it has not been replaced. */
  revokesAt: number | null;
  /** The month that `monthUsed` belongs to, YYYY-MM. */
  month: string;
  /** Charged files; results made by a site. */
  monthUsed: number;
}

/** A result that a site has made in a month, however often: each is charged once. */
export interface MadeResult {
  readonly userId: string;
  /** UTC, YYYY-MM. */
  readonly month: string;
  readonly siteId: string;
  readonly file: string;
}

/** A mail that is or was due: each is sent at most once. */
export interface QuotaMailRow {
  readonly kind: QuotaMailKind;
  /** The month of the free files, or the id of the payment. */
  readonly period: string;
  /** The user whose file made it due. */
  readonly userId: string;
  /** The origin of its links. */
  readonly origin: string;
  isDone: boolean;
}

/** The source of a reserved file; `none`: it was charged before, and is not charged again. */
export type Pool = 'free' | 'paid' | 'none';

/** A file reserved for a request in flight. */
export interface Reservation {
  readonly id: string;
  readonly pool: Pool;
  /** CPU time reserved for it, in milliseconds. */
  readonly cpu: number;
  readonly expiresAt: number;
  /**
   * Whether the result is for a later request, which takes over the reservation. If none does, it expires as uncharged
   * work.
   */
  readonly awaitsFetch: boolean;
  /**
   * The reservation that was taken over for a fetch; null if there is none. If the fetch is given back, it is restored.
   */
  readonly takenOver: TakenOver | null;
  /** The result of a site that is being made; null for files of keys. */
  readonly makes: Pick<ResultRequest, 'path' | 'file'> | null;
}

/** The part of a taken-over reservation that is needed to restore it. */
type TakenOver = Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>;

/** What a lane counts; all are whole numbers. */
export const noFigures = {
  ...{ files: 0, bytesIn: 0, bytesOut: 0, bytesSaved: 0 },
  ...{ free: 0, paid: 0, uncharged: 0, unchargedCpu: 0 },
};

export type Figures = typeof noFigures;

export const figureNames = Object.keys(noFigures) as (keyof Figures)[];

/**
 * The usage of one key on a day, and one of its requests in flight: there are as many lanes as there
 * were concurrent requests. The figures of the day are the sums over its lanes.
 */
export interface LaneRow extends Figures {
  readonly id: number;
  readonly userId: string;
  readonly keyId: string;
  readonly day: string;
  seq: number;
  lastUsedAt: number | null;
  reservation: Reservation | null;
}

/** A removal in progress in D1: until it is over, the data here may be out of date. */
export interface Doubt {
  readonly id: number;
  /** The affected key; null for the whole mailbox. */
  readonly keyId: string | null;
  /** Milliseconds since 1970 at which the removal has certainly ended. */
  readonly until: number;
}

/** The complete durable state, read when a meter wakes up. */
export interface StoredState {
  readonly mailbox: MailboxRow;
  readonly accounts: readonly AccountRow[];
  readonly payments: readonly PaymentRow[];
  readonly keys: readonly KeyRow[];
  readonly lanes: readonly LaneRow[];
  readonly doubts: readonly Doubt[];
  readonly quotaMails: readonly QuotaMailRow[];
}
