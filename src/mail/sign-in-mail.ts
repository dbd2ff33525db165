import { html } from 'hono/html';

interface SignInMail {
  readonly to: string;
  readonly code: string;
  readonly serviceName: string;
  /** The service's own origin, for recipients who do not know it. */
  readonly origin: string;
  /** When the code was requested. */
  readonly askedAt: Date;
  /** Minutes for which the code is valid. */
  readonly minutes: number;
}

/** The mail with a sign-in code. The subject contains the code, too, since notifications show it. */
export async function signInMessage(mail: SignInMail): Promise<Message> {
  const { to, code, serviceName, origin, minutes } = mail;
  const when = `${mail.askedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const reason = `Someone asked to sign in to ${serviceName} (${origin}) with this address on ${when}.`;
  const advice =
    'If that was not you, ignore this mail: without the code nobody gets in. Never pass the code on.';
  const text = [
    `Your code for ${serviceName}:`,
    code,
    `It can be used once, within ${minutes} minutes.`,
    `${reason} ${advice}`,
  ].join('\n\n');
  const page = await html`<!doctype html>
    <html lang="en">
      <body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a">
        <p>Your code for ${serviceName}:</p>
        <p style="font-size:32px;font-weight:600;letter-spacing:.12em">${code}</p>
        <p>It can be used once, within ${minutes} minutes.</p>
        <p style="color:#666;font-size:14px">${reason} ${advice}</p>
      </body>
    </html>`;
  return { to, subject: `${code} is your code for ${serviceName}`, text, html: String(page) };
}

/** One mail to one person. */
interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type Delivery =
  | { readonly kind: 'sent' }
  /** The provider will not deliver to this address, now or later. */
  | { readonly kind: 'undeliverable' }
  /** The mail did not go out; `reason` is the provider's code and names nobody. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends one message; never throws. */
type Mailer = (message: Message) => Promise<Delivery>;

/** How long a provider may take, in milliseconds. */
const sendTimeout = 15_000;

/**
 * Errors that are permanent for a recipient
 * (https://developers.cloudflare.com/email-service/api/send-emails/workers-api/).
 */
const permanent = new Set(['E_RECIPIENT_SUPPRESSED', 'E_RECIPIENT_NOT_ALLOWED']);

/** A mailer that sends through Cloudflare's e-mail binding. */
export function bindingMailer(
  binding: Pick<SendEmail, 'send'>,
  from: { readonly name: string; readonly email: string },
): Mailer {
  return async (message) => {
    const timer = new AbortController();
    const late = scheduler
      .wait(sendTimeout, { signal: timer.signal })
      .then((): Delivery => ({ kind: 'failed', reason: 'timeout' }));
    late.catch(() => {}); // aborted, since the mail was faster
    try {
      const sent = binding.send({ ...message, from }).then((): Delivery => ({ kind: 'sent' }));
      return await Promise.race([sent, late]);
    } catch (error) {
      const code = codeOf(error);
      return permanent.has(code) ? { kind: 'undeliverable' } : { kind: 'failed', reason: code };
    } finally {
      timer.abort();
    }
  };
}

/** The error's own code. Its message is of no use here: it may name the recipient. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E_[A-Z_]+$/.test(code) ? code : 'unknown';
}
