import { makeUnsubscribeToken } from '../access/unsubscribing.ts';
import type { Config } from '../config.ts';
import { bindingMailer, quotaMessage } from '../mail/mails.ts';
import { mailTerms } from '../policy/limits.ts';
import { type DueMail, nextMonth } from '../policy/quota.ts';
import {
  claimQuotaMail,
  findRecipient,
  type Recipient,
  returnQuotaMail,
} from '../store/quota-mails.ts';
import type { MailFacts } from './messages.ts';
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

/** A due mail, and the ids of users to whom it applies. */
interface MailToSend {
  readonly mail: QuotaMailRow;
  readonly readers: readonly string[];
}

/**
 * Marks a mail as done, so that it is not sent again; `userId` is the recipient, null if there is none. Returns the
 * current facts for the mail; null if it must not be sent, because it was begun before or no longer applies.
 */
type BeginMail = (userId: string | null) => Promise<MailFacts | null>;

/**
 * Sends a quota mail to a user who wants it, unless the day's mails are needed for sign-in. Mails that the provider
 * rejects are not retried. One of the day's mails is claimed before the mail is marked: while D1 rejects writes, the
 * mail stays due.
 * @throws Error if D1 fails before the mail is marked: nothing was sent, and the mail is still due
 */
export async function sendQuotaMail(
  { DB, EMAIL }: Pick<Env, 'DB' | 'EMAIL'>,
  config: Config,
  { mail, readers }: MailToSend,
  begin: BeginMail,
): Promise<void> {
  const recipient = readers.length > 0 ? await findRecipient(DB, readers) : null;
  if (recipient === null) {
    await begin(null);
    return;
  }
  const mails = mailTerms(Date.now(), config.mailsPerDay);
  if (!(await claimQuotaMail(DB, mails))) {
    await begin(null);
    console.error({ event: 'quota_mail_dropped', reason: 'mail_limit_reached' });
    return;
  }
  let isSent = false;
  try {
    const facts = await begin(recipient.userId);
    const reason = facts && (await deliver(EMAIL, config, mail, { ...recipient, ...facts }));
    if (reason !== null) console.error({ event: 'quota_mail_dropped', reason });
    isSent = facts !== null && reason === null;
  } finally {
    if (!isSent) await returnQuotaMail(DB, mails.day);
  }
}

/** @returns why the provider rejected the mail; null if it accepted it */
async function deliver(
  binding: SendEmail,
  { tokenSecrets, serviceName, mailFrom, freeFilesPerMonth, stripe }: Config,
  { kind, origin }: QuotaMailRow,
  { email, freeFilesLeft, ...recipient }: Recipient & MailFacts,
): Promise<string | null> {
  const token = await makeUnsubscribeToken(recipient, tokenSecrets);
  const message = await quotaMessage({
    ...{ to: email, kind, origin, serviceName, freeFilesPerMonth, freeFilesLeft },
    freeResetsAt: nextMonth(Date.now()),
    isForSale: stripe !== null,
    unsubscribeUrl: `${origin}/unsubscribe?token=${token}`,
  });
  const delivery = await bindingMailer(binding, { name: serviceName, email: mailFrom })(message);
  switch (delivery.kind) {
    case 'sent':
      return null;
    case 'undeliverable':
      return 'undeliverable';
    case 'failed':
      return delivery.reason;
  }
}
