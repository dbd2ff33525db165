import { WorkerEntrypoint } from 'cloudflare:workers';

/** The code with which mails are currently refused; null if they are accepted. */
let refusal: string | null = null;

/**
 * A Worker that replaces the mail provider: passes mails to the local mail store, or refuses them as the provider
 * would.
 */
export default class MailStandIn extends WorkerEntrypoint<{ EMAIL: SendEmail }> {
  async send(message: EmailMessageBuilder): Promise<EmailSendResult> {
    if (refusal !== null) {
      throw Object.assign(new Error('The mail provider refuses.'), { code: refusal });
    }
    return this.env.EMAIL.send(message);
  }

  /** Refuses all mails with this code from now on; null accepts them. */
  async refuse(code: string | null): Promise<void> {
    refusal = code;
  }

  override async fetch(): Promise<Response> {
    return new Response(null, { status: 404 });
  }
}
