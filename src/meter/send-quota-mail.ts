import { makeUnsubscribeToken } from '../access/unsubscribing.ts';
import type { Config } from '../config.ts';
import { bindingMailer } from '../mail/mailer.ts';
import { quotaMessage } from '../mail/quota-mail.ts';
import { mailTerms } from '../policy/limits.ts';
import { monthOf, nextMonth } from '../policy/quota.ts';
import {
  claimQuotaMail,
  findRecipient,
  type Recipient,
  returnQuotaMail,
} from '../store/quota-mails.ts';
import type { QuotaMailRow } from './tables.ts';

/**
 * Sends a mail about quota, unless it is not wanted any more, the month that it is about is over, or the day's mails are
 * needed for signing in. One that the provider does not take is not repeated.
 * @param begin marks the mail, so that it is not sent again; returns whether it was still due
 * @throws Error when D1 fails: nothing was sent, and the mail is still due
 */
export async function sendQuotaMail(
  { DB, EMAIL }: Pick<Env, 'DB' | 'EMAIL'>,
  config: Config,
  mail: QuotaMailRow,
  begin: () => Promise<boolean>,
): Promise<void> {
  const now = Date.now();
  const { kind, period, userId } = mail;
  const isLate = kind.startsWith('free') && period !== monthOf(now);
  const recipient = isLate ? null : await findRecipient(DB, userId);
  if (recipient === null) {
    await begin();
    return;
  }
  const mails = mailTerms(now, config.mailsPerDay);
  const isClaimed = await claimQuotaMail(DB, mails);
  const isDue = await begin();
  if (!isClaimed) {
    if (isDue) console.error({ event: 'quota_mail_dropped', reason: 'mail_limit_reached' });
    return;
  }
  const reason = isDue ? await deliver(EMAIL, config, mail, recipient) : null;
  if (reason !== null) console.error({ event: 'quota_mail_dropped', reason });
  if (!isDue || reason !== null) await returnQuotaMail(DB, mails.day);
}

/** @returns why the provider did not take it; null: it did */
async function deliver(
  binding: SendEmail,
  { tokenSecrets, serviceName, mailFrom, freeFilesPerMonth, stripe }: Config,
  { kind, origin }: QuotaMailRow,
  recipient: Recipient,
): Promise<string | null> {
  const token = await makeUnsubscribeToken(recipient, tokenSecrets);
  const message = await quotaMessage({
    ...{ to: recipient.email, kind, origin, serviceName, freeFilesPerMonth },
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
