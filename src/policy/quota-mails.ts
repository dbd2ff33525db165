/** The moments at which an account is told by mail how much is left. */
export type QuotaMailKind = 'free-low' | 'free-used-up' | 'pack-low' | 'pack-used-up';

/** How much of the free files, or of a pack, is used when an account is told that little is left. */
const lowPercent = 80;

/** The free files of a mailbox, as an account without paid files sees them. */
export interface FreeState {
  /** YYYY-MM, UTC. */
  readonly month: string;
  readonly used: number;
  /** Files per month. */
  readonly limit: number;
}

/** The pack that an account has paid for last. */
export interface PackState {
  /** Id of the payment. */
  readonly id: string;
  /** Files that it entitled to. */
  readonly granted: number;
  /** Of all files given and bought. */
  readonly left: number;
}

/** A mail, with the month or the payment that it is about: each of these is sent at most once. */
export type DueMail = readonly [kind: QuotaMailKind, period: string];

/** Which mails about the free files are due. Only for accounts without paid files: others do not run out with these. */
export function dueFreeMails({ month, used, limit }: FreeState): readonly DueMail[] {
  if (limit === 0) return [];
  return [
    ...(100 * used >= lowPercent * limit ? [['free-low', month] as const] : []),
    ...(used >= limit ? [['free-used-up', month] as const] : []),
  ];
}

/** Which mails about a pack are due. Older packs are used first, so what is left is of the latest. */
export function duePackMails({ id, granted, left }: PackState): readonly DueMail[] {
  return [
    ...(100 * left <= (100 - lowPercent) * granted ? [['pack-low', id] as const] : []),
    ...(left === 0 ? [['pack-used-up', id] as const] : []),
  ];
}
