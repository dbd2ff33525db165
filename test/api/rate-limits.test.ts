import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { signed, stripeVars } from '../support/stripe.ts';
import { madeUpKey } from '../support/tokens.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService(stripeVars('http://127.0.0.1:1'));
});
afterAll(() => service.close());

const wrongKey = { Authorization: `Bearer ${await madeUpKey()}` };

/** The rate limits of one client per minute, each with a request that otherwise fails in another way. */
const rateLimits = [
  {
    name: 'requests for codes',
    limit: 60,
    code: 'invalid_email',
    send: (client: Client) => client.post('/v1/auth/request-code', { email: 'nobody' }),
  },
  {
    name: 'codes',
    limit: 300,
    code: 'invalid_code',
    send: (client: Client) => client.verify('nobody@example.com', 'letters'),
  },
  {
    name: 'wrong API keys',
    limit: 300,
    code: 'invalid_api_key',
    send: (client: Client) => client.get('/v1/quota', wrongKey),
  },
  {
    name: 'payment events',
    limit: 600,
    code: 'invalid_signature',
    send: (client: Client) => {
      const { body, headers } = signed({ type: 'test' }, { secret: 'whsec_another' });
      return client.fetch('/v1/payments/webhook', { method: 'POST', body, headers });
    },
  },
] as const;

it.each(rateLimits)(
  'too many $name from one place are put off',
  { tags: 'slow' },
  async ({ limit, code, send }) => {
    const client = service.client();
    let passed = 0;
    let refused: Response | undefined;
    // Twice as many plus one: even if a new minute begins, one of the two minutes has too many.
    while (!refused && passed <= 2 * limit) {
      const batch = await Promise.all(Array.from({ length: 61 }, () => send(client)));
      refused = batch.find(({ status }) => status === 429);
      passed += batch.filter(({ status }) => status !== 429).length;
    }
    if (!refused) throw new Error(`${passed} have passed`);
    expect(passed).toBeGreaterThanOrEqual(limit);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    await expectProblem(refused, 'too_many_requests');
    await expectProblem(await send(service.client()), code);
    const key = { Authorization: `Bearer ${service.key}` };
    expect((await client.get('/v1/quota', key)).status).toBe(200);
  },
);
