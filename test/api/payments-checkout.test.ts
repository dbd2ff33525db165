import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../support/answers.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { packs, Shop } from '../support/shop.ts';
import { eventOf } from '../support/stripe.ts';

const shop = new Shop();
let unconfigured: TestService;
beforeAll(async () => {
  await shop.start();
  unconfigured = await sharedTestService();
});
afterEach(() => {
  shop.stripe.meanwhile = async () => {};
});
afterAll(async () => {
  await shop.close();
  await unconfigured.close();
});

describe('the packs', () => {
  it('are shown to anyone, in the order of the configuration', async () => {
    const response = await shop.service.fetch('/v1/payments/packs');
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.json()).toEqual({ items: packs });
  });

  it('are there by default, in three sizes, with payments configured or not', async () => {
    const response = await unconfigured.fetch('/v1/payments/packs');
    expect(await response.json()).toEqual({
      items: [
        { id: 'small', files: 1000, amount: 500, currency: 'usd' },
        { id: 'medium', files: 10_000, amount: 4000, currency: 'usd' },
        { id: 'large', files: 100_000, amount: 30_000, currency: 'usd' },
      ],
    });
  });
});

describe('the cabinet', () => {
  it('says that files can be bought', async () => {
    const { client } = await shop.customer();
    const page = await client.get('/cabinet/payment');
    expect(await page.text()).toContain('data-payments="on"');
  });
});

describe('a checkout', () => {
  it('asks Stripe for exactly this, once', async () => {
    const customer = await shop.customer();
    const { payment } = await customer.checkout('thousand');
    const calls = shop.stripe.callsFor(payment.id);
    expect(calls).toHaveLength(1);
    const back = `${shop.service.url.origin}/cabinet/payment?result=`;
    expect(calls[0]?.fields).toEqual({
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '30000',
      'line_items[0][price_data][product_data][name]': 'Fewer Bytes: 1,000 files',
      'adaptive_pricing[enabled]': 'false',
      client_reference_id: payment.id,
      'metadata[payment_id]': payment.id,
      'payment_intent_data[metadata][payment_id]': payment.id,
      customer_email: customer.email,
      success_url: `${back}success&payment=${payment.id}`,
      cancel_url: `${back}cancelled`,
    });
    expect(calls[0]?.headers).toMatchObject({
      authorization: 'Bearer sk_test_0123456789abcdef',
      'idempotency-key': payment.id,
    });
    expect(calls[0]?.headers).not.toHaveProperty('x-stripe-client-telemetry');
  });

  it('is written down before Stripe is asked', async () => {
    const customer = await shop.customer();
    const seen: unknown[] = [];
    shop.stripe.meanwhile = async ({ headers }) => {
      const { database } = shop.service;
      const sql = 'SELECT status, session_id FROM payments WHERE id = ?1';
      seen.push(
        await database
          .prepare(sql)
          .bind(headers['idempotency-key'] ?? '')
          .first(),
      );
    };
    await customer.checkout();
    expect(seen).toEqual([{ status: 'pending', session_id: null }]);
  });

  it('answers with where to pay, and is in the list with all of its fields', async () => {
    const customer = await shop.customer();
    const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const items = await customer.payments();
    const sessionId = shop.stripe.sessionOf(items[0]?.id ?? '');
    const url = `https://checkout.stripe.example/c/pay/${sessionId}`;
    expect(await response.json()).toEqual({ url });
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^pay_[0-9a-f]{32}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        pack: 'ten',
        files: 10,
        amount: 1000,
        currency: 'usd',
        status: 'pending',
        receipt_url: null,
      },
    ]);
    expect(Math.abs(Date.now() - Date.parse(items[0]?.created_at ?? ''))).toBeLessThan(10_000);
  });

  it('shows up as the newest, to its buyer only', async () => {
    const [one, other] = [await shop.customer(), await shop.customer()];
    const made: Payment[] = [];
    for (const pack of ['ten', 'thousand', 'ten']) made.unshift((await one.checkout(pack)).payment);
    const [theirs] = [(await other.buy()).payment];
    expect(await one.payments()).toEqual(made);
    expect(await other.payments()).toEqual([{ ...theirs, status: 'paid' }]);
    expect((await one.standing()).left).toBe(0);
  });

  it('of the same pack several times at once makes as many payments', async () => {
    const customer = await shop.customer();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () =>
        customer.client.post('/v1/payments/checkout', { pack: 'ten' }),
      ),
    );
    const urls = await Promise.all(
      responses.map(async (response) => ((await response.json()) as { url: string }).url),
    );
    expect(new Set(urls).size).toBe(5);
    expect((await customer.standing()).statuses).toEqual(Array(5).fill('pending'));
  });

  it('is possible 20 times a day without paying, no matter how many come at once', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const begin = () => customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    const responses = await Promise.all(Array.from({ length: 30 }, begin));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(10).fill(429)]);
    const refused = await begin();
    const wait = Number(refused.headers.get('Retry-After'));
    await expectProblem(refused, 'too_many_requests');
    expect(wait).toBeGreaterThan(86_000);
    expect(wait).toBeLessThanOrEqual(86_400);

    // Paying makes room again, and so does waiting.
    const { database } = shop.service;
    const [newest] = await customer.payments();
    const object = {
      id: shop.stripe.sessionOf(newest?.id ?? ''),
      amount_subtotal: 1000,
      currency: 'usd',
      payment_intent: 'pi_room',
      payment_status: 'paid',
    };
    await shop.tell(eventOf('checkout.session.completed', object));
    expect([(await begin()).status, (await begin()).status]).toEqual([200, 429]);
    await database
      .prepare(
        'UPDATE payments SET created_at = created_at - 86400000 WHERE user_id = (SELECT id FROM users WHERE email = ?1)',
      )
      .bind(customer.email)
      .run();
    expect((await begin()).status).toBe(200);
  });
});
