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

/** A due mail, and the ids of users to whom it applies. */
interface DueMail {
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
  { mail, readers }: DueMail,
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
