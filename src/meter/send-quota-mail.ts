import { makeUnsubscribeToken } from '../access/unsubscribing.ts';
import type { Config } from '../config.ts';
import { bindingMailer } from '../mail/mailer.ts';
import { quotaMessage } from '../mail/quota-mail.ts';
import { mailTerms } from '../policy/limits.ts';
import { monthOf, nextMonth } from '../policy/quota.ts';
import { claimQuotaMail, type Recipient, returnQuotaMail } from '../store/quota-mails.ts';
import type { QuotaMailRow } from './tables.ts';

/**
 * Sends a mail about quota, unless the month that it is about is over, or the day's mails are needed for signing in.
 * One that the provider does not take is not repeated.
 */
export async function sendQuotaMail(
  { DB, EMAIL }: Pick<Env, 'DB' | 'EMAIL'>,
  config: Config,
  { kind, period, origin }: QuotaMailRow,
  { userId, email, epoch }: Recipient,
): Promise<void> {
  const now = Date.now();
  if (kind.startsWith('free') && period !== monthOf(now)) return;
  const mails = mailTerms(now, config.mailsPerDay);
  if (!(await claimQuotaMail(DB, mails))) {
    console.error({ event: 'quota_mail_dropped', reason: 'mail_limit_reached' });
    return;
  }
  const token = await makeUnsubscribeToken({ userId, epoch }, config.tokenSecrets);
  const message = await quotaMessage({
    ...{ to: email, kind, origin },
    serviceName: config.serviceName,
    freeFilesPerMonth: config.freeFilesPerMonth,
    freeResetsAt: nextMonth(now),
    isForSale: config.stripe !== null,
    unsubscribeUrl: `${origin}/unsubscribe?token=${token}`,
  });
  const send = bindingMailer(EMAIL, { name: config.serviceName, email: config.mailFrom });
  const delivery = await send(message);
  if (delivery.kind === 'sent') return;
  const reason = delivery.kind === 'failed' ? delivery.reason : delivery.kind;
  console.error({ event: 'quota_mail_dropped', reason });
  await returnQuotaMail(DB, mails.day);
}
