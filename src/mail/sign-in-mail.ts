import { html } from 'hono/html';
import { utcText } from '../cabinet/text/formatting.ts';
import type { Message } from './mailer.ts';

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
