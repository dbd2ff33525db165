import type { Mail, MailStore } from './client.ts';

interface Sent extends Mail {
  readonly to: readonly string[];
  readonly messageId: string;
}

interface Answer<Result> {
  readonly result: Result;
  readonly result_info?: { readonly cursor?: string };
}

/** The mails of a service in workerd, from wrangler's own mail store. */
export class LocalMailStore implements MailStore {
  readonly #store: URL;

  constructor(origin: URL | string) {
    this.#store = new URL('/cdn-cgi/local/explorer/api/local/email/sending', origin);
  }

  async *sentTo(address: string): AsyncGenerator<Mail> {
    let cursor: string | undefined;
    do {
      const page = await this.#ask<Sent[]>({ per_page: '100', ...(cursor && { cursor }) });
      for (const { to, messageId } of page.result) {
        if (to.includes(address)) yield (await this.#ask<Mail>({ email_id: messageId })).result;
      }
      cursor = page.result_info?.cursor;
    } while (cursor);
  }

  async #ask<Result>(query: Record<string, string>): Promise<Answer<Result>> {
    const url = new URL(this.#store);
    url.search = new URLSearchParams(query).toString();
    const response = await fetch(url);
    const text = await response.text();
    if (!response.ok) throw new Error(`the mail store answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer<Result>;
  }
}
