import type { DueMail } from '../policy/quota-mails.ts';
import type { QuotaMailRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** The quota mails that are due or done for a mailbox, in memory and in the tables. */
export class QuotaMails {
  readonly #tables: Tables;
  readonly #mails: Map<string, QuotaMailRow>;
  readonly #due: Map<string, QuotaMailRow>;

  constructor(tables: Tables, kept: readonly QuotaMailRow[]) {
    this.#tables = tables;
    this.#mails = new Map(kept.map((row) => [idOf(row.kind, row.period), row]));
    this.#due = new Map([...this.#mails].filter(([, { isDone }]) => !isDone));
  }

  get due(): readonly QuotaMailRow[] {
    return [...this.#due.values()];
  }

  get hasDue(): boolean {
    return this.#due.size > 0;
  }

  /**
   * Records mails that have become due; each becomes due only once.
   * @param userId the user whose file made them due
   */
  note(mails: readonly DueMail[], userId: string, origin: string): void {
    for (const [kind, period] of mails) {
      const id = idOf(kind, period);
      if (this.#mails.has(id)) continue;
      const row = { kind, period, userId, origin, isDone: false };
      this.#mails.set(id, row);
      this.#due.set(id, row);
      this.#tables.saveQuotaMail(row);
    }
  }

  /**
   * Marks a mail as done, before it is sent or because it will not be sent: whatever happens then, it never becomes due
   * again.
   * @returns whether it was still due
   */
  markDone({ kind, period }: Pick<QuotaMailRow, 'kind' | 'period'>): boolean {
    const id = idOf(kind, period);
    const row = this.#due.get(id);
    if (!row) return false;
    row.isDone = true;
    this.#due.delete(id);
    this.#tables.saveQuotaMail(row);
    return true;
  }
}

function idOf(kind: string, period: string): string {
  return `${kind} ${period}`;
}
