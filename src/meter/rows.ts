import type { QuotaMailKind } from '../policy/quota-mails.ts';

/** What is kept of the mailbox as a whole. Figures are those before the lanes'. */
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
  /** Milliseconds since 1970; null: no money has come. */
  paidAt: number | null;
}

export interface KeyRow {
  readonly id: string;
  readonly userId: string;
  hash: string;
  version: number;
  isRevoked: boolean;
  isTold: boolean;
  allTime: number;
  lastUsedAt: number | null;
  /** Charged files of a month that it may use; null: no limit. */
  monthlyLimit: number | null;
  /** Milliseconds since 1970, from when it is refused until it is extended; null: never. */
  expiresAt: number | null;
  /** Milliseconds since 1970, from when it is revoked, since it has been replaced; null: it has not. */
  revokesAt: number | null;
  /** The month that `monthUsed` belongs to, YYYY-MM. */
  month: string;
  /** Charged files. */
  monthUsed: number;
}

/** A mail that is due, or has been: each is sent at most once. */
export interface QuotaMailRow {
  readonly kind: QuotaMailKind;
  /** The month whose free files it is about, or the id of the payment. */
  readonly period: string;
  /** Whose file made it due. */
  readonly userId: string;
  /** Of the links in it. */
  readonly origin: string;
  isDone: boolean;
}

/** What a file is taken from; `none`: it has been charged before, and is not charged again. */
export type Pool = 'free' | 'paid' | 'none';

/** A file that is promised to a request in flight. */
export interface Reservation {
  readonly id: string;
  readonly pool: Pool;
  /** Milliseconds of computing time that are set aside for it. */
  readonly cpu: number;
  readonly expiresAt: number;
  /** A result is made for a later request, which takes over the reservation. Where none does, it lapses as uncharged work. */
  readonly awaitsFetch: boolean;
  /** The reservation that was taken over with what it was for; null: none. Where it is given back, that one stands again. */
  readonly takenOver: TakenOver | null;
}

/** Part of a reservation for a result that was made for a later request. */
export type TakenOver = Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>;

/**
 * What one key (or the cabinet) has used on a day, and one request in flight of it: as many lanes as there were requests
 * at the same time. The figures of the day are the sums over its lanes.
 */
export interface LaneRow {
  readonly id: number;
  readonly userId: string;
  readonly keyId: string;
  readonly day: string;
  seq: number;
  files: number;
  bytesIn: number;
  bytesOut: number;
  bytesSaved: number;
  free: number;
  paid: number;
  uncharged: number;
  unchargedCpu: number;
  lastUsedAt: number | null;
  reservation: Reservation | null;
}

/** Something is being taken away in D1: until that is over, what is known here may be out of date. */
export interface Doubt {
  readonly id: number;
  /** Of the key that it is taken from; null: of the whole mailbox. */
  readonly keyId: string | null;
  /** Milliseconds since 1970, by when it is over for certain. */
  readonly until: number;
}

/** All that lasts, as it is read when a meter wakes up; null: it has never been loaded. */
export interface Kept {
  readonly mailbox: MailboxRow;
  readonly accounts: readonly AccountRow[];
  readonly payments: readonly PaymentRow[];
  readonly keys: readonly KeyRow[];
  readonly lanes: readonly LaneRow[];
  readonly doubts: readonly Doubt[];
  readonly quotaMails: readonly QuotaMailRow[];
}
