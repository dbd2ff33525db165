import { html } from 'hono/html';
import { filesText, longDayText, monthNameText, utcText } from '../cabinet/text/formatting.ts';
import type { SendEmail } from '../platform.ts';
import type { QuotaMailKind } from '../policy/quota.ts';
import { count } from '../telemetry/counts.ts';

/** An email to one recipient. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Record<string, string>;
}

export type Delivery =
  | { readonly kind: 'sent' }
  /** The provider will not deliver to this address, now or later. */
  | { readonly kind: 'undeliverable' }
  /** The mail was not sent; `reason` is the provider's error code and contains no personal data. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends one message; never throws. */
type Mailer = (message: Message) => Promise<Delivery>;

/** Timeout for the provider's reply, in milliseconds. */
const sendTimeout = 15_000;

/**
 * Error codes that mean a permanent failure for a recipient
 * (https://developers.cloudflare.com/email-service/api/send-emails/workers-api/).
 */
const permanent = new Set(['E_RECIPIENT_SUPPRESSED', 'E_RECIPIENT_NOT_ALLOWED']);

/** Returns a mailer that sends through Cloudflare's email binding. */
export function bindingMailer(
  binding: Pick<SendEmail, 'send'>,
  from: { readonly name: string; readonly email: string },
): Mailer {
  return async (message) => {
    const delivery = await send(binding, { ...message, from });
    count('fewerbytes_mails_total', { outcome: delivery.kind });
    return delivery;
  };
}

async function send(
  binding: Pick<SendEmail, 'send'>,
  message: Parameters<SendEmail['send']>[0],
): Promise<Delivery> {
  const timer = new AbortController();
  const late = scheduler
    .wait(sendTimeout, { signal: timer.signal })
    .then((): Delivery => ({ kind: 'failed', reason: 'timeout' }));
  late.catch(() => {}); // rejects with an abort error if the mail is sent in time
  try {
    const sent = binding.send(message).then((): Delivery => ({ kind: 'sent' }));
    return await Promise.race([sent, late]);
  } catch (error) {
    const code = codeOf(error);
    return permanent.has(code) ? { kind: 'undeliverable' } : { kind: 'failed', reason: code };
  } finally {
    timer.abort();
  }
}

/** The error's code. The message is not used, because it may contain the recipient's address. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E_[A-Z_]+$/.test(code) ? code : 'unknown';
}

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

interface SignInMail {
  readonly to: string;
  readonly code: string;
  readonly serviceName: string;
  /** The service's own origin, for recipients who do not know the service. */
  readonly origin: string;
  /** When the code was requested. */
  readonly askedAt: Date;
  /** Minutes for which the code is valid. */
  readonly minutes: number;
}

/** Composes the mail with a sign-in code. The subject contains the code, too, because notifications show it. */
export async function signInMessage(mail: SignInMail): Promise<Message> {
  const { to, code, serviceName, origin, minutes } = mail;
  const when = utcText(mail.askedAt.toISOString());
  const reason = `Someone requested it on ${when} to sign in to ${serviceName} (${origin}) with this address.`;
  const advice =
    'If that wasn’t you, ignore this mail: nobody can sign in without the code. Never share it.';
  const text = [
    `Your sign-in code for ${serviceName}:`,
    code,
    `It works once and expires in ${minutes} minutes.`,
    `${reason} ${advice}`,
  ].join('\n\n');
  const page = await html`<!doctype html>
    <html lang="en">
      <body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a">
        <p>Your sign-in code for ${serviceName}:</p>
        <p style="font-size:32px;font-weight:600;letter-spacing:.12em">${code}</p>
        <p>It works once and expires in ${minutes} minutes.</p>
        <p style="color:#666;font-size:14px">${reason} ${advice}</p>
      </body>
    </html>`;
  return { to, subject: `${code} is your code for ${serviceName}`, text, html: String(page) };
}
