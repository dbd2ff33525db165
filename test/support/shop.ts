import { expect } from 'vitest';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import type { Client } from './client.ts';
import { Purchase } from './purchase.ts';
import { startTestService, type TestService } from './service.ts';
import { type Delivery, type StripeEvent, signed, stripeVars } from './stripe-events.ts';
import { StripeStandIn } from './stripe-stand-in.ts';

/** Small numbers, so that what is left can be seen at a glance. */
export const packs = [
  { id: 'ten', files: 10, amount: 1000, currency: 'usd' },
  { id: 'thousand', files: 1000, amount: 30_000, currency: 'eur' },
];

/** The service with packs, and Stripe as far as it is needed. */
export class Shop {
  readonly stripe = new StripeStandIn();
  #service: TestService | undefined;
  #customers = 0;

  async start(): Promise<void> {
    await this.stripe.start();
    this.#service = await startTestService({
      ...stripeVars(this.stripe.origin),
      QUOTA_PACKS: JSON.stringify(packs),
    });
  }

  async close(): Promise<void> {
    await this.#service?.close();
    await this.stripe.stop();
  }

  get service(): TestService {
    if (!this.#service) throw new Error('not started');
    return this.#service;
  }

  /** Someone new who has signed in. */
  async customer(): Promise<Customer> {
    this.#customers += 1;
    const email = `customer${this.#customers}@example.com`;
    return new Customer(this, await this.service.signedIn(email), email);
  }

  /** Delivers an event; the answer. */
  deliver(event: StripeEvent | Delivery): Promise<Response> {
    const { body, headers } = 'body' in event ? event : signed(event);
    return this.service.fetch('/v1/payments/webhook', { method: 'POST', body, headers });
  }

  /** Delivers events one after the other, all of which must be welcome. */
  async tell(...events: StripeEvent[]): Promise<void> {
    for (const event of events) await this.#told(event);
  }

  /** The same at once, every event so many times. */
  async tellAtOnce(times: number, ...events: StripeEvent[]): Promise<void> {
    const all = Array.from({ length: times }, () => events).flat();
    await Promise.all(all.map((event) => this.#told(event)));
  }

  async #told(event: StripeEvent): Promise<void> {
    const response = await this.deliver(event);
    const text = await response.text();
    expect(response.status, `${event.type}: ${text}`).toBe(200);
    expect(JSON.parse(text)).toEqual({ success: true });
  }
}

export class Customer {
  readonly #shop: Shop;
  readonly client: Client;
  readonly email: string;

  constructor(shop: Shop, client: Client, email: string) {
    this.#shop = shop;
    this.client = client;
    this.email = email;
  }

  /** Begins to buy a pack. */
  async checkout(pack = 'ten'): Promise<Purchase> {
    const response = await this.client.post('/v1/payments/checkout', { pack });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const sessionId = (JSON.parse(text) as { url: string }).url.split('/').at(-1);
    const payment = (await this.payments())[0];
    if (!payment) throw new Error('no payment');
    expect(this.#shop.stripe.sessionOf(payment.id)).toBe(sessionId);
    return new Purchase(payment, this.#shop.stripe.sessionOf(payment.id));
  }

  /** Buys a pack. */
  async buy(pack = 'ten'): Promise<Purchase> {
    const purchase = await this.checkout(pack);
    await this.#shop.tell(purchase.completed());
    return purchase;
  }

  async payments(): Promise<Payment[]> {
    const response = await this.client.get('/v1/payments');
    expect(response.status).toBe(200);
    return ((await response.json()) as { items: Payment[] }).items;
  }

  /** Paid files left, and the status of every payment, the newest first. */
  async standing(): Promise<{ left: number; statuses: string[] }> {
    const statuses = (await this.payments()).map(({ status }) => status);
    return { left: (await this.me()).paid_quota_remaining, statuses };
  }

  async me(): Promise<{ plan: string; paid_quota_remaining: number }> {
    const response = await this.client.get('/v1/me');
    expect(response.status).toBe(200);
    return (await response.json()) as { plan: string; paid_quota_remaining: number };
  }

  /** Uses up so many paid files. */
  async use(files: number): Promise<void> {
    await this.#shop.service.database
      .prepare('UPDATE users SET paid_files = paid_files - ?2 WHERE email = ?1')
      .bind(this.email, files)
      .run();
  }
}
