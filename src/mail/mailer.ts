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
    const timer = new AbortController();
    const late = scheduler
      .wait(sendTimeout, { signal: timer.signal })
      .then((): Delivery => ({ kind: 'failed', reason: 'timeout' }));
    late.catch(() => {}); // rejects with an abort error if the mail is sent in time
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

/** The error's code. The message is not used, because it may contain the recipient's address. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E_[A-Z_]+$/.test(code) ? code : 'unknown';
}
