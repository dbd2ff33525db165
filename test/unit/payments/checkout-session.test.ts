import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCheckoutSession } from '../../../src/payments/checkout-session.ts';

const purchase = {
  paymentId: 'pay_1',
  productName: 'Pictures: 10 files',
  amount: 1000,
  currency: 'usd',
  email: 'customer@example.com',
  successUrl: 'https://img.example/success',
  cancelUrl: 'https://img.example/cancelled',
};
const settings = { secretKey: 'sk_test_0123456789abcdef', webhookSecret: 'whsec_0123456789abcdef' };
const own = { ...settings, apiBase: null };
const standIn = { ...settings, apiBase: new URL('http://127.0.0.1:12111') };

/** Makes Stripe respond with a session with this URL; returns the mock of `fetch`. */
function answering(url: string) {
  const fetchMock = vi.fn(async (_input: unknown, _init?: RequestInit) =>
    Response.json({ id: 'cs_1', object: 'checkout.session', url }),
  );
  vi.stubGlobal('fetch', fetchMock);
  return fetchMock;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the page to pay at', () => {
  it('is on https', async () => {
    answering('https://checkout.stripe.com/c/pay/cs_1');
    expect(await createCheckoutSession(own, purchase)).toEqual({
      kind: 'created',
      sessionId: 'cs_1',
      url: 'https://checkout.stripe.com/c/pay/cs_1',
    });
  });

  it.each(['http://checkout.stripe.com/c/pay/cs_1', 'javascript:alert(1)', 'data:text/html,x', ''])(
    'is not %j',
    async (url) => {
      answering(url);
      const result = await createCheckoutSession(own, purchase);
      expect(result).toEqual({ kind: 'failed', reason: expect.stringContaining('ZodError') });
    },
  );

  it('may be on http where something answers in Stripe’s place', async () => {
    answering('http://127.0.0.1:12111/pay');
    expect(await createCheckoutSession(standIn, purchase)).toMatchObject({ kind: 'created' });
    answering('javascript:alert(1)');
    expect(await createCheckoutSession(standIn, purchase)).toMatchObject({ kind: 'failed' });
  });
});

it('Stripe is asked at its own origin, and is not followed to another', async () => {
  const asked = answering('https://checkout.stripe.com/c/pay/cs_1');
  await createCheckoutSession(own, purchase);
  expect(asked.mock.calls.map(([input, init]) => [String(input), init?.redirect])).toEqual([
    ['https://api.stripe.com/v1/checkout/sessions', 'manual'],
  ]);
});
