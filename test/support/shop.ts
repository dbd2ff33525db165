import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import type { Client } from './client.ts';
import { sharedTestService, startTestService, type TestService } from './service.ts';
import {
  type Delivery,
  eventOf,
  type StripeEvent,
  StripeStandIn,
  signed,
  stripeVars,
} from './stripe.ts';

/** Small numbers, so that remaining files are obvious. */
export const packs = [
  { id: 'ten', files: 10, amount: 1000, currency: 'usd' },
  { id: 'thousand', files: 1000, amount: 30_000, currency: 'eur' },
];

/** What all shops with default settings of one worker share, as they do their service. */
const sharedStripe = new StripeStandIn();
let stripeStart: Promise<unknown> | undefined;

/** Of all shops: who shares a service must have an address of its own. */
let customers = 0;

/** The service with packs, and the parts of Stripe that it needs. */
export class Shop {
  #stripe = sharedStripe;
  #service: TestService | undefined;

  /** @param vars with them, it has a service and a Stripe of its own */
  async start(vars?: Record<string, string>): Promise<void> {
    if (vars) {
      this.#stripe = new StripeStandIn();
      await this.#stripe.start();
    } else {
      stripeStart ??= this.#stripe.start();
      await stripeStart;
    }
    const settings = {
      ...stripeVars(this.#stripe.origin),
      QUOTA_PACKS: JSON.stringify(packs),
      ...vars,
    };
    this.#service = await (vars ? startTestService(settings) : sharedTestService(settings));
  }

  async close(): Promise<void> {
    await this.#service?.close();
    if (this.#stripe !== sharedStripe) await this.#stripe.stop();
  }

  get stripe(): StripeStandIn {
    return this.#stripe;
  }

  get service(): TestService {
    if (!this.#service) throw new Error('not started');
    return this.#service;
  }

  /** A new customer who has signed in. */
  async customer(): Promise<Customer> {
    customers += 1;
    const email = `customer${customers}@example.com`;
    return new Customer(this, await this.service.signedIn(email), email);
  }

  /** Delivers an event; returns the response. */
  deliver(event: StripeEvent | Delivery): Promise<Response> {
    const { body, headers } = 'body' in event ? event : signed(event);
    return this.service.fetch('/v1/payments/webhook', { method: 'POST', body, headers });
  }

  /** Delivers events one after another, all of which must be accepted. */
  async tell(...events: StripeEvent[]): Promise<void> {
    for (const event of events) await this.#told(event);
  }

  /** Delivers events concurrently, each of them several times. */
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

  /** Starts the purchase of a pack. */
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

  /** Remaining paid files, and the status of every payment, newest first. */
  async standing(): Promise<{ left: number; statuses: string[] }> {
    const statuses = (await this.payments()).map(({ status }) => status);
    return { left: (await this.me()).paid_quota_remaining, statuses };
  }

  async me(): Promise<{ plan: string; paid_quota_remaining: number }> {
    const response = await this.client.get('/v1/me');
    expect(response.status).toBe(200);
    return (await response.json()) as { plan: string; paid_quota_remaining: number };
  }

  /** Grants files to the customer, as the operator does. */
  async receive(files: number): Promise<void> {
    await this.#shop.service.database
      .prepare('UPDATE users SET granted_files = granted_files + ?2 WHERE email = ?1')
      .bind(this.email, files)
      .run();
  }

  /** Uses up this many paid files. */
  async use(files: number): Promise<void> {
    await this.#shop.service.meters.use(this.email, files, true);
  }
}

/** One purchase, and the events that Stripe may send about it. */
export class Purchase {
  readonly paymentIntent = `pi_${randomBytes(12).toString('hex')}`;
  readonly payment: Payment;
  readonly sessionId: string;

  constructor(payment: Payment, sessionId: string) {
    this.payment = payment;
    this.sessionId = sessionId;
  }

  completed(changes: Record<string, unknown> = {}): StripeEvent {
    return this.#session('checkout.session.completed', changes);
  }

  unpaid(): StripeEvent {
    return this.completed({ payment_status: 'unpaid' });
  }

  paidLater(): StripeEvent {
    return this.#session('checkout.session.async_payment_succeeded', {});
  }

  failedLater(): StripeEvent {
    return this.#session('checkout.session.async_payment_failed', { payment_status: 'unpaid' });
  }

  expired(): StripeEvent {
    const changes = { payment_status: 'unpaid', payment_intent: null, status: 'expired' };
    return this.#session('checkout.session.expired', changes);
  }

  /** `amount` has been refunded, cumulatively. */
  refunded(amount: number, changes: Record<string, unknown> = {}): StripeEvent {
    return eventOf('charge.refunded', {
      id: `ch_${this.paymentIntent}`,
      object: 'charge',
      amount: this.payment.amount,
      amount_refunded: amount,
      currency: this.payment.currency,
      refunded: amount >= this.payment.amount,
      payment_intent: this.paymentIntent,
      metadata: { payment_id: this.payment.id },
      ...changes,
    });
  }

  /** The money has been received, and Stripe has a receipt. */
  charged(receiptUrl: string | null, paymentId = this.payment.id): StripeEvent {
    return eventOf('charge.succeeded', {
      id: `ch_${this.paymentIntent}`,
      object: 'charge',
      amount: this.payment.amount,
      amount_refunded: 0,
      currency: this.payment.currency,
      refunded: false,
      payment_intent: this.paymentIntent,
      metadata: { payment_id: paymentId },
      receipt_url: receiptUrl,
    });
  }

  disputed(id = 'one', status = 'needs_response'): StripeEvent {
    return this.#dispute('charge.dispute.created', id, status);
  }

  disputeEnded(status: string, id = 'one'): StripeEvent {
    return this.#dispute('charge.dispute.closed', id, status);
  }

  #session(type: string, changes: Record<string, unknown>): StripeEvent {
    return eventOf(type, {
      id: this.sessionId,
      object: 'checkout.session',
      mode: 'payment',
      amount_subtotal: this.payment.amount,
      // Taxes do not concern the service.
      amount_total: this.payment.amount + 190,
      currency: this.payment.currency,
      customer_details: { email: 'customer@example.com' },
      client_reference_id: this.payment.id,
      metadata: { payment_id: this.payment.id },
      payment_intent: this.paymentIntent,
      payment_status: 'paid',
      status: 'complete',
      ...changes,
    });
  }

  #dispute(type: string, id: string, status: string): StripeEvent {
    return eventOf(type, {
      id: `dp_${id}_${this.paymentIntent}`,
      object: 'dispute',
      amount: this.payment.amount,
      charge: `ch_${this.paymentIntent}`,
      currency: this.payment.currency,
      metadata: {},
      payment_intent: this.paymentIntent,
      status,
    });
  }
}
