import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { eventOf, StripeStandIn, signed } from '../support/stripe.ts';

const shop = new Shop();
let unconfigured: TestService;
beforeAll(async () => {
  await shop.start();
  unconfigured = await sharedTestService();
});
afterEach(() => {
  shop.stripe.mood = 'well';
});
afterAll(async () => {
  await shop.close();
  await unconfigured.close();
});

describe('a checkout is refused', () => {
  it('of an unknown pack', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    for (const pack of ['none', '', 'TEN', 'ten ']) {
      const response = await customer.client.post('/v1/payments/checkout', { pack });
      const problem = await expectProblem(response, 'invalid_request');
      expect(problem.errors).toEqual([
        { path: 'pack', message: expect.stringContaining('should be the id of a pack') },
      ]);
    }
    expect(await customer.payments()).toEqual([]);
  });

  it.each([{}, { pack: 5 }, { pack: null }, { pack: ['ten'] }])('with %j', async (body) => {
    const customer = await shop.customer();
    const response = await customer.client.post('/v1/payments/checkout', body);
    const problem = await expectProblem(response, 'invalid_request');
    expect(problem.errors).toMatchObject([{ path: 'pack' }]);
  });

  it('without a session, and so is the list', async () => {
    const visitor = shop.service.client();
    const checkout = await visitor.post('/v1/payments/checkout', { pack: 'ten' });
    await expectProblem(checkout, 'auth_required');
    await expectProblem(await visitor.get('/v1/payments'), 'auth_required');
    const headers = { Authorization: `Bearer ${shop.service.key}` };
    await expectProblem(await shop.service.fetch('/v1/payments', { headers }), 'auth_required');
  });

  it('from a page of another site', async () => {
    const customer = await shop.customer();
    const headers = { Origin: 'https://evil.example' };
    const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' }, headers);
    await expectProblem(response, 'origin_not_allowed');
    expect(await customer.payments()).toEqual([]);
  });

  it('where payments are not configured, and so are events', async () => {
    const client = await unconfigured.signedIn('buyer@example.com');
    const checkout = await client.post('/v1/payments/checkout', { pack: 'small' });
    await expectProblem(checkout, 'payments_not_configured');
    const { body, headers } = signed(eventOf('charge.refunded', {}));
    const init = { method: 'POST', body, headers };
    const delivery = await unconfigured.fetch('/v1/payments/webhook', init);
    await expectProblem(delivery, 'payments_not_configured');
    const list = await client.get('/v1/payments');
    expect(await list.json()).toEqual({ items: [] });
  });
});

describe('a checkout that Stripe does not answer as it should', () => {
  itForEach(
    [
      ['refuses the request', 400, 1],
      ['refuses the money', 402, 1],
      ['fails', 500, 2],
      ['closes the connection', 'closes', 2],
      ['answers an empty object', { says: '{}' }, 1],
      ['answers null', { says: 'null' }, 1],
      ['answers a page', { says: '<!doctype html>' }, 1],
      ['answers without a URL', { says: '{"id":"cs_test_1","url":null}' }, 1],
      ['answers without an id', { says: '{"url":"https://pay.example/"}' }, 1],
      [
        'answers with a URL of no page',
        { says: '{"id":"cs_test_1","url":"javascript:alert(1)"}' },
        1,
      ],
    ],
    'has failed when it %s',
    async (_, mood, attempts) => {
      const customer = await shop.customer();
      shop.stripe.mood = mood;
      const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' });
      const problem = await expectProblem(response, 'payment_provider_failed');
      expect(JSON.stringify(problem)).not.toMatch(/@|sk_test/);
      expect(await customer.standing()).toEqual({ left: 0, statuses: ['failed'] });
      const id = (await customer.payments())[0]?.id ?? '';
      const keys = shop.stripe.callsFor(id).map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual(Array(attempts).fill(id));
      const logs = shop.service.logs();
      expect(logs).toContain(id);
      expect(logs).not.toContain('sk_test');
    },
  );

  it('has failed when it sends elsewhere, where nobody is asked', async () => {
    const elsewhere = new StripeStandIn();
    await elsewhere.start();
    const customer = await shop.customer();
    shop.stripe.mood = { sendsTo: `${elsewhere.origin}/v1/checkout/sessions` };
    const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    await expectProblem(response, 'payment_provider_failed');
    await elsewhere.stop();
    expect(elsewhere.calls).toEqual([]);
  });

  it('counts against the limit of a day for ten minutes only', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const begin = () => customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    const open = (await customer.checkout()).payment;
    shop.stripe.mood = 400;
    const responses = await Promise.all(Array.from({ length: 25 }, begin));
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array(6).fill(429),
      ...Array(19).fill(502),
    ]);
    shop.stripe.mood = 'well';
    const refused = await begin();
    const wait = Number(refused.headers.get('Retry-After'));
    await expectProblem(refused, 'too_many_requests');
    expect(wait).toBeGreaterThan(500);
    expect(wait).toBeLessThanOrEqual(600);

    await shop.service.database
      .prepare(`UPDATE payments SET created_at = created_at - 600000
                WHERE user_id = (SELECT user_id FROM payments WHERE id = ?1)`)
      .bind(open.id)
      .run();
    const later = await Promise.all(Array.from({ length: 25 }, begin));
    // The one that was open before is still open.
    expect(later.map(({ status }) => status).sort()).toEqual([
      ...Array(19).fill(200),
      ...Array(6).fill(429),
    ]);
    const full = await begin();
    expect(Number(full.headers.get('Retry-After'))).toBeGreaterThan(85_000);
    expect(Number(full.headers.get('Retry-After'))).toBeLessThanOrEqual(85_800);
    await expectProblem(full, 'too_many_requests');
  });

  it('has failed when it takes too long', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    shop.stripe.mood = 'hangs';
    const began = Date.now();
    const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    await expectProblem(response, 'payment_provider_failed');
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['failed'] });
  });

  it('is paid all the same when a session was made and money came of it', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    shop.stripe.mood = 'makes-and-closes';
    const response = await customer.client.post('/v1/payments/checkout', { pack: 'ten' });
    await expectProblem(response, 'payment_provider_failed');
    const id = (await customer.payments())[0]?.id ?? '';
    const session = {
      id: shop.stripe.sessionOf(id),
      amount_subtotal: 1000,
      currency: 'usd',
      metadata: { payment_id: id },
      payment_intent: 'pi_lost',
      payment_status: 'paid',
    };
    // A payment of something else that names this payment has no claim to it.
    const stranger = { ...session, id: 'cs_test_stranger', payment_intent: 'pi_stranger' };
    await shop.tell(
      eventOf('checkout.session.completed', { ...stranger, amount_subtotal: 1 }),
      eventOf('checkout.session.completed', { ...stranger, currency: 'eur' }),
      eventOf('checkout.session.expired', { ...stranger, payment_status: 'unpaid' }),
    );
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['failed'] });
    for (const part of ['payment_does_not_fit', 'cs_test_stranger', id])
      expect(shop.service.logs()).toContain(part);

    await shop.tellAtOnce(3, eventOf('checkout.session.completed', session));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    // The session is known now, and no other one is accepted.
    await shop.tell(eventOf('checkout.session.completed', { ...session, id: 'cs_test_other' }));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('is not pending for ever when no session is known of it', async () => {
    const customer = await shop.customer();
    const lost = (await customer.checkout()).payment;
    const open = (await customer.checkout()).payment;
    const { database } = shop.service;
    const day = 24 * 60 * 60 * 1000;
    await database
      .prepare('UPDATE payments SET session_id = NULL WHERE id = ?1')
      .bind(lost.id)
      .run();
    await shop.service.tidy();
    expect((await customer.standing()).statuses).toEqual(['pending', 'pending']);
    await database
      .prepare('UPDATE payments SET created_at = created_at - ?2 WHERE id IN (?1, ?3)')
      .bind(lost.id, day, open.id)
      .run();
    await shop.service.tidy();
    const statuses = (await customer.payments()).map(({ id, status }) => ({ id, status }));
    expect(statuses).toEqual([
      { id: open.id, status: 'pending' },
      { id: lost.id, status: 'failed' },
    ]);
  });
});
