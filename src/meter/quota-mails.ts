import type { QuotaMailKind, QuotaMailRow, Tables } from './tables.ts';

/** How much of the free files, or of a pack, is used when an account is told that little is left. */
const lowPercent = 80;

/** The quota of an account after a file was taken off it. */
export interface QuotaState {
  /** What the file was taken from. */
  readonly pool: 'free' | 'paid';
  /** YYYY-MM, that of the free files. */
  readonly month: string;
  readonly freeUsed: number;
  readonly freeFilesPerMonth: number;
  /** Left of those given and bought. */
  readonly paidFiles: number;
  /** The pack that was paid for last; null: none. */
  readonly pack: { readonly id: string; readonly granted: number } | null;
}

/** Which mails an account has to have had by then, each with the month or the payment that it is about. */
export function dueMails(
  state: QuotaState,
): readonly (readonly [kind: QuotaMailKind, period: string])[] {
  const { pool, month, freeUsed, freeFilesPerMonth, paidFiles, pack } = state;
  // who has paid files, too, does not run out when the free ones are used up
  if (pool === 'free' && paidFiles === 0) {
    return [
      ...(100 * freeUsed >= lowPercent * freeFilesPerMonth ? [['free-low', month] as const] : []),
      ...(freeUsed >= freeFilesPerMonth ? [['free-used-up', month] as const] : []),
    ];
  }
  if (pool === 'paid' && pack !== null) {
    return [
      ...(100 * paidFiles <= (100 - lowPercent) * pack.granted
        ? [['pack-low', pack.id] as const]
        : []),
      ...(paidFiles === 0 ? [['pack-used-up', pack.id] as const] : []),
    ];
  }
  return [];
}

/** The mails about quota that a mailbox is to get or has got, in memory and in the tables. */
export class QuotaMails {
  readonly #tables: Tables;
  readonly #mails: Map<string, QuotaMailRow>;

  constructor(tables: Tables, kept: readonly QuotaMailRow[]) {
    this.#tables = tables;
    this.#mails = new Map(kept.map((row) => [idOf(row.kind, row.period), row]));
  }

  /** Those that have not been begun to be sent. */
  get due(): readonly QuotaMailRow[] {
    return [...this.#mails.values()].filter(({ isDone }) => !isDone);
  }

  /** Notes which mails have become due for a user; each is, once. */
  note(userId: string, state: QuotaState, origin: string): void {
    for (const [kind, period] of dueMails(state)) {
      if (this.#mails.has(idOf(kind, period))) continue;
      const row = { kind, period, userId, origin, isDone: false };
      this.#mails.set(idOf(kind, period), row);
      this.#tables.saveQuotaMail(row);
    }
  }

  /**
   * Marks a mail before it is sent: whatever happens to it then, it is not sent again.
   * @returns whether it was still due
   */
  begin({ kind, period }: QuotaMailRow): boolean {
    const row = this.#mails.get(idOf(kind, period));
    if (!row || row.isDone) return false;
    row.isDone = true;
    this.#tables.saveQuotaMail(row);
    return true;
  }
}

function idOf(kind: QuotaMailKind, period: string): string {
  return `${kind} ${period}`;
}
