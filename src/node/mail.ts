import { isIP } from 'node:net';
import { createTransport, type SMTPPoolOptions } from 'nodemailer';

/** What `EMAIL` sends: one mail to one recipient. */
interface Mail {
  readonly from: { readonly name: string; readonly email: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers?: Record<string, string>;
}

/** Sends mails as the binding of Workers does: failures are errors whose `code` begins with `E_`. */
export interface MailSender {
  send(mail: Mail): Promise<{ readonly messageId: string }>;
  close(): void;
}

/** Whether a text is the URL of a mail server. */
export function isMailUrl(text: string): boolean {
  const url = /^smtps?:\/\//.test(text) ? URL.parse(text) : null;
  // An unencoded `#`, `?` or `/` in a password makes the user the host.
  if (url === null || url.hostname === '' || url.pathname.length > 1 || /[#?]/.test(text))
    return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/**
 * A sender over SMTP. Connections are kept for a while. `smtps:` begins with TLS; `smtp:` continues with it if the server
 * offers STARTTLS, and demands it where a password would otherwise pass through a network in the clear.
 * @param url `smtp://` or `smtps://user:password@host:port`
 */
export function smtpSender(url: string): MailSender {
  const transport = createTransport(poolOptions(new URL(url)));
  return {
    async send({ from, ...mail }) {
      const sender = { name: from.name, address: from.email };
      try {
        const signal = AbortSignal.timeout(deadline);
        const { messageId } = await transport.sendMail({ ...mail, from: sender, signal });
        return { messageId };
      } catch (cause) {
        throw failure(cause);
      }
    },
    close: () => transport.close(),
  };
}

const second = 1000;

/**
 * For a whole mail, from waiting for a connection on, in milliseconds. It is shorter than what the sender of a code waits
 * for: a mail that was reported as not sent must not arrive.
 */
const deadline = 14 * second;

function poolOptions({ protocol, hostname, port, username, password }: URL) {
  const isSecure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const isHere = host === 'localhost' || host === '::1' || (isIP(host) && host.startsWith('127.'));
  const user = decodeURIComponent(username);
  const auth = user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } };
  return {
    ...{ pool: true, maxConnections: 4, host, secure: isSecure, ...auth },
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    requireTLS: !isSecure && !isHere && user !== '',
    // Mail servers on the same machine usually have a certificate that they made for themselves.
    tls: { rejectUnauthorized: !isHere },
    ...{ dnsTimeout: 5 * second, connectionTimeout: 10 * second, greetingTimeout: 10 * second },
    socketTimeout: deadline,
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SMTPPoolOptions & { pool: true };
}

/** Codes for the log, by those of nodemailer. */
const codes: Readonly<Record<string, string>> = {
  EAUTH: 'E_AUTHENTICATION',
  ECONNECTION: 'E_CONNECTION',
  EDNS: 'E_CONNECTION',
  ESOCKET: 'E_CONNECTION',
  ECONNREFUSED: 'E_CONNECTION',
  ETIMEDOUT: 'E_TIMEOUT',
  EABORT: 'E_TIMEOUT',
  ETLS: 'E_TLS',
  EENVELOPE: 'E_ENVELOPE',
  EMESSAGE: 'E_MESSAGE_REFUSED',
};

/** The error that the binding of Workers would give; without the server's text, which may quote the address. */
function failure(cause: unknown): Error {
  const { code, command, responseCode, response } = cause as Partial<
    Record<'code' | 'command' | 'response', string> & { responseCode: number }
  >;
  const isRefused = /^(MAIL FROM|RCPT TO)$/.test(command ?? '') && (responseCode ?? 0) >= 500;
  const isOfRecipient = command === 'RCPT TO' && isAboutRecipient(response ?? '');
  const refusal = isOfRecipient ? 'E_RECIPIENT_NOT_ALLOWED' : 'E_SENDER_NOT_ALLOWED';
  const told = isRefused ? refusal : codes[code ?? ''];
  const error = new Error('The mail was not sent.');
  return Object.assign(error, { code: told ?? 'E_SMTP' });
}

/**
 * Tells a recipient that does not exist from a server that does not accept mails of this service at all: it demands
 * credentials (RFC 4954 §6), does not relay, or has a rule against the sender (RFC 3463 §3.2, §3.8). Many servers say so
 * only in words, which do not count in addresses and names of hosts.
 */
function isAboutRecipient(response: string): boolean {
  const [code] = /(?<![\d.])5\.\d+\.\d+(?!\.?\d)/.exec(response) ?? [];
  if (code !== undefined) return /^5\.(1\.([1236]|10)|2\.\d+)$/.test(code);
  const words = response.replaceAll(/\S*[@.]\S+/g, '');
  return /^55[0134]/.test(response) && !/relay|rcpthosts|sender|auth/i.test(words);
}
