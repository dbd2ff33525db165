import { html } from 'hono/html';
import { filesText, longDayText, monthNameText } from '../cabinet/text/formatting.ts';
import type { QuotaMailKind } from '../policy/quota-mails.ts';
import type { Message } from './mailer.ts';

/** The contents of a mail about a quota. */
export interface QuotaMail {
  readonly to: string;
  readonly kind: QuotaMailKind;
  readonly serviceName: string;
  /** The service's own origin. */
  readonly origin: string;
  readonly freeFilesPerMonth: number;
  /** Free files left in the current month. */
  readonly freeFilesLeft: number;
  /** When the next free files are granted. */
  readonly freeResetsAt: Date;
  /** Whether packs of files can be bought. */
  readonly isForSale: boolean;
  /** A link that stops these mails. */
  readonly unsubscribeUrl: string;
}

/**
 * Composes the mail that reports how much of a quota is left. Its headers let mail clients offer one-click
 * unsubscribing without opening a browser (RFC 2369, RFC 8058).
 */
export async function quotaMessage(mail: QuotaMail): Promise<Message> {
  const { to, serviceName, origin, unsubscribeUrl } = mail;
  const { subject, facts } = wording(mail);
  const next = nextStep(mail);
  const link = `${origin}/cabinet${mail.isForSale ? '/payment' : ''}`;
  const reason = `${serviceName} sends one mail when a quota runs low, and one when it runs out. To stop these mails:`;
  const text = [facts, `${next}\n${link}`, `${reason}\n${unsubscribeUrl}`].join('\n\n');
  const page = await html`<!doctype html>
    <html lang="en">
      <body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a">
        <p>${facts}</p>
        <p>${next}<br /><a href="${link}">${link}</a></p>
        <p style="color:#666;font-size:14px">
          ${reason} <a href="${unsubscribeUrl}" style="color:#666">unsubscribe</a>
        </p>
      </body>
    </html>`;
  const headers = {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return { to, subject: `${subject} – ${serviceName}`, text, html: String(page), headers };
}

function wording({ kind, freeFilesPerMonth, freeFilesLeft, freeResetsAt }: QuotaMail) {
  const month = monthNameText(new Date(freeResetsAt.getTime() - 1).toISOString());
  const resets =
    freeFilesPerMonth > 0
      ? ` New free files arrive on ${longDayText(freeResetsAt.toISOString())} (UTC).`
      : '';
  const refused = `API calls now return 402 quota_exceeded.${resets}`;
  switch (kind) {
    case 'free-low':
      return {
        subject: `80% of your free files for ${month} are used`,
        facts: `You’ve passed 80% of your ${filesText(freeFilesPerMonth, 'free')} for ${month}.${resets}`,
      };
    case 'free-used-up':
      return {
        subject: `Your free files for ${month} are used up`,
        facts: `You’ve used all of your ${filesText(freeFilesPerMonth, 'free')} for ${month}. ${refused}`,
      };
    case 'pack-low':
      return {
        subject: '20% of your latest pack is left',
        facts: 'You’ve used 80% of the files in your latest pack.',
      };
    case 'pack-used-up':
      return {
        subject: 'Your paid files are used up',
        // A new month may have begun since the pack was used up.
        facts: `You’ve used all of your paid files. ${freeFilesLeft > 0 ? `This month, ${filesText(freeFilesLeft, 'free')} are left.` : refused}`,
      };
  }
}

function nextStep({ kind, isForSale }: QuotaMail): string {
  if (isForSale) {
    return kind === 'free-low' || kind === 'pack-low'
      ? 'To avoid running out, buy more files:'
      : 'To continue right away, buy more files:';
  }
  return 'See your usage:';
}
