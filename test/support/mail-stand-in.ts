import { WorkerEntrypoint } from 'cloudflare:workers';

/** Why mails are refused at the moment; null: they are not. */
let refusal: string | null = null;

/**
 * A Worker in the place of the mail provider: hands mails on to the local
 * mail store, or refuses them as the provider would.
 */
export default class MailStandIn extends WorkerEntrypoint<{ EMAIL: SendEmail }> {
  async send(message: EmailMessageBuilder): Promise<EmailSendResult> {
    if (refusal !== null) {
      throw Object.assign(new Error('The mail provider refuses.'), { code: refusal });
    }
    return this.env.EMAIL.send(message);
  }

  /** From here on every mail is refused with this code; with null, none. */
  async refuse(code: string | null): Promise<void> {
    refusal = code;
  }

  override async fetch(): Promise<Response> {
    return new Response(null, { status: 404 });
  }
}
