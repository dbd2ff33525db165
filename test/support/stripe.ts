import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { LocalServer } from './local-server.ts';

/** One received call. */
interface StripeCall {
  readonly headers: IncomingMessage['headers'];
  /** The form by field name, such as `line_items[0][quantity]`. */
  readonly fields: Readonly<Record<string, string>>;
}

export type Mood =
  | 'well'
  /** Refuses with this status and an error object. */
  | 400
  | 402
  | 500
  /** Accepts the request and never responds. */
  | 'hangs'
  /** Closes the connection without a response. */
  | 'closes'
  /** Creates the session, but closes the connection without a response. */
  | 'makes-and-closes'
  /** Responds with status 200 and this body. */
  | { readonly says: string }
  /** Redirects the caller to this URL. */
  | { readonly sendsTo: string };

/** Creates Checkout sessions like Stripe's API, or fails as it may; its origin is the value for STRIPE_API_BASE. */
export class StripeStandIn extends LocalServer {
  mood: Mood = 'well';
  /** Runs before the response to a call. */
  meanwhile: (call: StripeCall) => Promise<void> = async () => {};
  readonly calls: StripeCall[] = [];
  readonly #sessions = new Map<string, string>();
  /** The calls made for a payment. */
  callsFor(paymentId: string): StripeCall[] {
    return this.calls.filter(({ fields }) => fields['metadata[payment_id]'] === paymentId);
  }

  /** The session created under an idempotency key, which is the id of the payment. */
  sessionOf(key: string): string {
    const session = this.#sessions.get(key);
    if (session === undefined) throw new Error(`no session of ${key}`);
    return session;
  }

  protected override async serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)));
    const call = { headers: request.headers, fields };
    this.calls.push(call);
    await this.meanwhile(call);
    if (request.url !== '/v1/checkout/sessions' || request.method !== 'POST') {
      return send(response, 404, { error: { type: 'invalid_request_error' } });
    }
    if (typeof this.mood === 'object' && 'sendsTo' in this.mood) {
      response.writeHead(307, { Location: this.mood.sendsTo }).end();
      return;
    }
    if (typeof this.mood === 'object') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(this.mood.says);
      return;
    }
    switch (this.mood) {
      case 'well':
        return send(response, 200, this.#make(call));
      case 'hangs':
        return;
      case 'makes-and-closes':
        this.#make(call);
        request.socket.destroy();
        return;
      case 'closes':
        request.socket.destroy();
        return;
      default:
        return send(response, this.mood, {
          error: { type: 'api_error', message: `no, ${fields.customer_email}` },
        });
    }
  }

  #make({ headers, fields }: StripeCall): Record<string, unknown> {
    const key = String(headers['idempotency-key']);
    const id = this.#sessions.get(key) ?? `cs_test_${randomBytes(24).toString('hex')}`;
    this.#sessions.set(key, id);
    return {
      id,
      object: 'checkout.session',
      amount_subtotal: Number(fields['line_items[0][price_data][unit_amount]']),
      currency: fields['line_items[0][price_data][currency]'],
      metadata: { payment_id: fields['metadata[payment_id]'] },
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      url: `https://checkout.stripe.example/c/pay/${id}`,
    };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_1' });
  response.end(JSON.stringify(body));
}

export const webhookSecret = 'whsec_0123456789abcdef';

/** Secrets that enable payments, with Stripe's API at this origin. */
export function stripeVars(origin: string): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: origin,
  };
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
}

/** An event in Stripe's format, about an object. */
export function eventOf(type: string, object: Record<string, unknown>): StripeEvent {
  const id = `evt_${randomBytes(12).toString('hex')}`;
  const created = Math.floor(Date.now() / 1000);
  return {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    type,
    data: { object },
  } as StripeEvent;
}

export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A webhook delivery with Stripe's signature.
 * @param age age of the signature in seconds
 */
export function signed(event: unknown, { secret = webhookSecret, age = 0 } = {}): Delivery {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: Math.floor(Date.now() / 1000) - age,
  });
  return {
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
  };
}
