import { makeUnsubscribeToken } from '../access/unsubscribing.ts';
import type { Config } from '../config.ts';
import { bindingMailer, quotaMessage } from '../mail/mails.ts';
import type { Platform, SendEmail } from '../platform.ts';
import { mailTerms } from '../policy/limits.ts';
import {
  type DueMail,
  dueFreeMails,
  duePackMails,
  type FreeState,
  nextMonth,
  type PackState,
  type QuotaTerms,
} from '../policy/quota.ts';
import {
  claimQuotaMail,
  findRecipient,
  type Recipient,
  returnQuotaMail,
} from '../store/quota-mails.ts';
import { logFault } from '../telemetry/log.ts';
import type { Accounts } from './accounts.ts';
import type { MailFacts } from './messages.ts';
import type { AccountRow, QuotaMailRow } from './rows.ts';
import type { Tables } from './tables.ts';
import type { Usage } from './usage.ts';

/** The quota mails that are due or done for a mailbox, in memory and in the tables. */
export class QuotaMails {
  readonly #tables: Tables;
  readonly #accounts: Accounts;
  readonly #usage: Usage;
  readonly #mails: Map<string, QuotaMailRow>;
  readonly #due: Map<string, QuotaMailRow>;

  constructor(tables: Tables, kept: readonly QuotaMailRow[], accounts: Accounts, usage: Usage) {
    this.#tables = tables;
    this.#accounts = accounts;
    this.#usage = usage;
    this.#mails = new Map(kept.map((row) => [idOf(row.kind, row.period), row]));
    this.#due = new Map([...this.#mails].filter(([, { isDone }]) => !isDone));
  }

  get due(): readonly QuotaMailRow[] {
    return [...this.#due.values()];
  }

  get hasDue(): boolean {
    return this.#due.size > 0;
  }

  /** Records the mails that a charged file of an account has made due; `month` is that of the file. */
  noteCharge(account: AccountRow, isFree: boolean, terms: QuotaTerms, origin: string): void {
    const pack = isFree ? null : this.#packState(account);
    if (pack) this.#note(duePackMails(pack), account.userId, origin);
    else this.#noteFreeMails(account, terms, origin);
  }

  /** Free files belong to the mailbox: whichever account uses them up, the accounts without paid files are notified. */
  #noteFreeMails(user: AccountRow, terms: QuotaTerms, origin: string): void {
    const [reader] = this.#withoutPaidFiles([user, ...this.#accounts.all]);
    if (!reader) return;
    this.#note(dueFreeMails(this.#freeState(terms)), reader.userId, origin);
  }

  #withoutPaidFiles(accounts: readonly AccountRow[]): readonly AccountRow[] {
    return accounts.filter((account) => !account.isDeleted && this.#usage.paidFiles(account) <= 0);
  }

  #freeState({ month, freeFilesPerMonth: limit }: QuotaTerms): FreeState {
    return { month, used: this.#usage.freeUsed(month), limit };
  }

  #packState(account: AccountRow): PackState | null {
    const pack = this.#accounts.latestPack(account.userId);
    return pack && { ...pack, left: Math.max(0, this.#usage.paidFiles(account)) };
  }

  /**
   * Records mails that have become due; each becomes due only once.
   * @param userId the user whose file made them due
   */
  #note(mails: readonly DueMail[], userId: string, origin: string): void {
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
   * Users for whom a due mail still applies, first the one whose file made it due: since then files may have been
   * bought or granted, accounts deleted, or the month may have ended.
   * @returns user ids; empty if the mail is not to be sent
   */
  readersOf({ kind, period, userId }: QuotaMailRow, terms: QuotaTerms): readonly string[] {
    const isDue = ([due, of]: DueMail) => due === kind && of === period;
    const user = this.#accounts.find(userId);
    if (kind === 'free-low' || kind === 'free-used-up') {
      if (!dueFreeMails(this.#freeState(terms)).some(isDue)) return [];
      const all = this.#withoutPaidFiles([...(user ? [user] : []), ...this.#accounts.all]);
      return [...new Set(all.map((account) => account.userId))];
    }
    const pack = user && !user.isDeleted ? this.#packState(user) : null;
    return pack && duePackMails(pack).some(isDue) ? [userId] : [];
  }

  /**
   * Marks a mail as done before it is sent, or because it will not be sent.
   * @param userId the recipient; null if there is none
   * @returns the current facts; null if sending was begun before, or the mail no longer applies to that user
   */
  begin(mail: QuotaMailRow, userId: string | null, terms: QuotaTerms): MailFacts | null {
    const isTrue = userId !== null && this.readersOf(mail, terms).includes(userId);
    const wasDue = this.#markDone(mail);
    const { used, limit } = this.#freeState(terms);
    return isTrue && wasDue ? { freeFilesLeft: Math.max(0, limit - used) } : null;
  }

  /**
   * Marks a mail as done, before it is sent or because it will not be sent: whatever happens then, it never becomes due
   * again.
   * @returns whether it was still due
   */
  #markDone({ kind, period }: Pick<QuotaMailRow, 'kind' | 'period'>): boolean {
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
  { DB, EMAIL }: Pick<Platform, 'DB' | 'EMAIL'>,
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
    logFault('quota_mail_dropped', { reason: 'mail_limit_reached' });
    return;
  }
  let isSent = false;
  try {
    const facts = await begin(recipient.userId);
    const reason = facts && (await deliver(EMAIL, config, mail, { ...recipient, ...facts }));
    if (reason !== null) logFault('quota_mail_dropped', { reason });
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
