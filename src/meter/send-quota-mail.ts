import { makeUnsubscribeToken } from '../access/unsubscribing.ts';
import type { Config } from '../config.ts';
import { bindingMailer } from '../mail/mailer.ts';
import { quotaMessage } from '../mail/quota-mail.ts';
import { mailTerms } from '../policy/limits.ts';
import { nextMonth } from '../policy/quota.ts';
import {
  claimQuotaMail,
  findRecipient,
  type Recipient,
  returnQuotaMail,
} from '../store/quota-mails.ts';
import type { MailFacts } from './messages.ts';
import type { QuotaMailRow } from './rows.ts';

/** A mail that is due, and ids of the users for whom it is true. */
interface DueMail {
  readonly mail: QuotaMailRow;
  readonly readers: readonly string[];
}

/**
 * Marks a mail, so that it is not sent again; `userId` is who is to get it, null: nobody. Returns what it says of this moment;
 * null: it is not to be sent, since it has been before, or is not true any more.
 */
type Begin = (userId: string | null) => Promise<MailFacts | null>;

/**
 * Sends a mail about quota to one who wants it, unless the day's mails are needed for signing in. One that the provider
 * does not take is not repeated. One of the day's mails is claimed before the mail is marked: while D1 takes no writes, it
 * stays due.
 * @throws Error when D1 fails: nothing was sent, and the mail is still due
 */
export async function sendQuotaMail(
  { DB, EMAIL }: Pick<Env, 'DB' | 'EMAIL'>,
  config: Config,
  { mail, readers }: DueMail,
  begin: Begin,
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

/** @returns why the provider did not take it; null: it did */
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
