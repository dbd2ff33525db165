import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { type Customer, type Purchase, Shop } from '../support/shop.ts';
import { type StripeEvent, signed } from '../support/stripe.ts';

const shop = new Shop();
let customer: Customer;
let purchase: Purchase;
beforeAll(() => shop.start());
beforeEach(async () => {
  customer = await shop.customer();
  purchase = await customer.checkout();
});
afterAll(() => shop.close());

describe('a delivery', () => {
  it('needs no cookie, and may come with any Origin', { tags: 'slow' }, async () => {
    const { body, headers } = signed(purchase.completed());
    const response = await shop.deliver({
      body,
      headers: { ...headers, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('signed with one of several secrets in rotation is welcome', async () => {
    const { body, headers } = signed(purchase.completed());
    const signature = `${headers['Stripe-Signature']},v1=${'0'.repeat(64)},v0=abc`;
    const response = await shop.deliver({ body, headers: { 'Stripe-Signature': signature } });
    expect(response.status).toBe(200);
    expect((await customer.standing()).left).toBe(10);
  });

  it('of nearly 1 MiB is read', async () => {
    const padding = 'ü'.repeat(500_000);
    await shop.tell({ ...purchase.completed(), padding } as never);
    expect((await customer.standing()).left).toBe(10);
  });

  it('may be nearly five minutes old', async () => {
    const response = await shop.deliver(signed(purchase.completed(), { age: 280 }));
    expect(response.status).toBe(200);
    expect((await customer.standing()).left).toBe(10);
  });
});

describe('a delivery that is not Stripe’s', () => {
  const { headers: some } = signed('{}');

  it.each<
    [string, (body: string, headers: Record<string, string>) => [string, Record<string, string>]]
  >([
    ['without a signature', (body) => [body, {}]],
    ['with an empty signature', (body) => [body, { 'Stripe-Signature': '' }]],
    ['with nonsense for a signature', (body) => [body, { 'Stripe-Signature': 'nonsense' }]],
    ['with the signature of another body', (body) => [body, some]],
    [
      'without a time',
      (body, headers) => [
        body,
        { 'Stripe-Signature': (headers['Stripe-Signature'] ?? '').replace(/^t=\d+,/, '') },
      ],
    ],
    [
      'with another time than was signed',
      (body, headers) => [
        body,
        { 'Stripe-Signature': (headers['Stripe-Signature'] ?? '').replace(/^t=\d/, 't=2') },
      ],
    ],
    ['whose body was altered', (body, headers) => [body.replace('1000', '1001'), headers]],
    ['whose body has one space more', (body, headers) => [`${body} `, headers]],
    ['whose body has a byte order mark more', (body, headers) => [`\ufeff${body}`, headers]],
    ['without a body', (_, headers) => ['', headers]],
  ])('%s is refused', async (_, altered) => {
    const genuine = signed(purchase.completed());
    const [body, headers] = altered(genuine.body, genuine.headers);
    expect({ body, headers }).not.toEqual(genuine);
    await expectProblem(await shop.deliver({ body, headers }), 'invalid_signature');
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
  });

  it('with other bytes that only read like those signed is refused', async () => {
    const { body, headers } = signed(purchase.completed({ description: '\ufffd' }));
    const bytes = Buffer.from(body);
    const at = bytes.indexOf('\ufffd');
    const altered = Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
    const init = { method: 'POST', body: altered, headers };
    const response = await shop.service.fetch('/v1/payments/webhook', init);
    await expectProblem(response, 'invalid_signature');
    expect((await customer.standing()).left).toBe(0);
  });

  it('signed with another secret is refused', async () => {
    const delivery = signed(purchase.completed(), { secret: 'whsec_another' });
    await expectProblem(await shop.deliver(delivery), 'invalid_signature');
    expect((await customer.standing()).left).toBe(0);
  });

  it('signed more than five minutes ago is refused', async () => {
    const delivery = signed(purchase.completed(), { age: 310 });
    await expectProblem(await shop.deliver(delivery), 'invalid_signature');
    expect((await customer.standing()).left).toBe(0);
  });

  it.each([
    ['that says so', (body: string) => body],
    ['that does not say so', (body: string) => new Blob([body]).stream()],
  ])('of more than 1 MiB %s is refused unread', async (_, send) => {
    const { body, headers } = signed('x'.repeat(1024 * 1024 + 1));
    const init = { method: 'POST', headers, body: send(body), duplex: 'half' } as RequestInit;
    const response = await shop.service.fetch('/v1/payments/webhook', init);
    const problem = await expectProblem(response, 'body_too_large');
    expect(problem.limit_bytes).toBe(1024 * 1024);
  });
});

describe('a delivery that is signed, but no event', () => {
  itForEach(
    ['null', '[]', '"x"', '{}', '{"type":5}', 'not JSON'],
    '%s is taken no notice of',
    async (body) => {
      const response = await shop.deliver(signed(body));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ success: true });
    },
  );
});

describe('a delivery that is signed, but not as Stripe describes it', () => {
  it.each<[string, object]>([
    ['without its object', { data: null }],
    ['with no session for its object', { data: { object: 'cs_1' } }],
  ])('%s changes nothing and is logged by its id and type', async (_, changes) => {
    const event = { ...purchase.completed(), ...changes };
    await expectMalformed(event);
  });

  itForEach(['1000', 1000.5, 1e300, -1000], 'with the amount %j is logged the same', async (it) => {
    await expectMalformed(purchase.completed({ amount_subtotal: it }));
  });

  async function expectMalformed(event: StripeEvent): Promise<void> {
    await shop.tell(event);
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    const logs = shop.service.logs();
    for (const part of ['payment_event_malformed', event.id, event.type])
      expect(logs).toContain(part);
  }

  it('as a thin event is taken no notice of', async () => {
    const thin = { object: 'v2.core.event', id: 'evt_thin', type: 'checkout.session.completed' };
    await shop.tell(thin);
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    expect(shop.service.logs()).not.toContain('evt_thin');
  });
});
