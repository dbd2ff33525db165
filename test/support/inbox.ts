/** One mail that the service has sent. */
export interface Mail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Sent extends Mail {
  readonly to: readonly string[];
  readonly messageId: string;
}

interface Answer<Result> {
  readonly result: Result;
  readonly result_info?: { readonly cursor?: string };
}

/**
 * What a local service has sent, as its own mail store has it: services that
 * run side by side do not see each other's mail.
 */
export class Inbox {
  readonly #store: URL;

  constructor(origin: URL | string) {
    this.#store = new URL('/cdn-cgi/local/explorer/api/local/email/sending', origin);
  }

  /** How many mails this address has been sent. */
  async count(address: string): Promise<number> {
    return (await this.#sentTo(address)).length;
  }

  /** The last mail to this address. */
  async latest(address: string): Promise<Mail> {
    const [last] = await this.#sentTo(address);
    if (!last) throw new Error(`no mail to ${address}`);
    const { result } = await this.#ask<Sent>({ email_id: last.messageId });
    return result;
  }

  /** Newest first. */
  async #sentTo(address: string): Promise<Sent[]> {
    const found: Sent[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#ask<Sent[]>({ per_page: '100', ...(cursor && { cursor }) });
      found.push(...page.result.filter(({ to }) => to.includes(address)));
      cursor = page.result_info?.cursor;
    } while (cursor);
    return found;
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

/** The sign-in code in the subject of a mail, without what groups its digits. */
export function codeIn({ subject }: Mail): string {
  const [code] = /\d[\d -]{4,}\d/.exec(subject) ?? [];
  if (code === undefined) throw new Error(`no code in "${subject}"`);
  return code.replaceAll(/\D/g, '');
}
