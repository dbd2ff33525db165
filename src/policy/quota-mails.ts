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
