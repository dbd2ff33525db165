import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { type ServiceWithMailStandIn, startServiceWithMailStandIn } from '../support/service.ts';

let service: ServiceWithMailStandIn;
beforeAll(async () => {
  service = await startServiceWithMailStandIn();
});
afterEach(() => service.refuseMails(null));
afterAll(async () => {
  const logged = service.logs();
  await service.close();
  expect(logged).not.toContain('@example.com');
});

function request(client: Client, email: string): Promise<Response> {
  return client.post('/v1/auth/request-code', { email });
}

describe.each(['E_DAILY_LIMIT_EXCEEDED', 'E_SENDER_NOT_VERIFIED', 'E_SOMETHING_NEW'])(
  'a request that the provider fails with %s',
  (reason) => {
    const address = (name: string) => `${name}-${reason.toLowerCase()}@example.com`;

    it('is told so, and the next one sends at once', async () => {
      const client = service.client();
      await service.refuseMails(reason);
      await expectProblem(await request(client, address('retry')), 'email_not_sent');
      await expectProblem(await request(client, address('retry')), 'email_not_sent');
      await service.refuseMails(null);
      const code = await client.requestCode(address('retry'));
      expect((await client.verify(address('retry'), code)).status).toBe(200);
      expect(await service.inbox.count(address('retry'))).toBe(1);
    });

    it('leaves an earlier code valid, with its cookie', async () => {
      const client = service.client();
      const code = await client.requestCode(address('earlier'));
      await service.age(address('earlier'), 61_000);
      await service.refuseMails(reason);
      const response = await request(client, address('earlier'));
      expect(response.headers.getSetCookie()).toEqual([]);
      await expectProblem(response, 'email_not_sent');
      expect((await client.verify(address('earlier'), code)).status).toBe(200);
    });
  },
);

describe('a mail that did not go out', () => {
  it('is none of the five an hour', async () => {
    const { ip } = service.client();
    await service.refuseMails('E_INTERNAL_SERVER_ERROR');
    for (let i = 0; i < 6; i += 1) {
      const response = await request(service.client(ip), 'unlucky@example.com');
      await expectProblem(response, 'email_not_sent');
    }
    await service.refuseMails(null);
    expect((await request(service.client(ip), 'unlucky@example.com')).status).toBe(200);
  });

  it('does not end three codes that are live', { tags: 'slow' }, async () => {
    const email = 'three@example.com';
    const client = service.client();
    const code = await client.requestCode(email);
    for (let i = 0; i < 2; i += 1) {
      await service.age(email, 61_000);
      await service.client().requestCode(email);
    }
    await service.age(email, 61_000);
    await service.refuseMails('E_INTERNAL_SERVER_ERROR');
    await expectProblem(await request(service.client(), email), 'email_not_sent');
    expect((await client.verify(email, code)).status).toBe(200);
  });

  it('is not the newest code of its address', { tags: 'slow' }, async () => {
    const email = 'newest@example.com';
    const code = await service.client().requestCode(email);
    await service.age(email, 61_000);
    await service.refuseMails('E_INTERNAL_SERVER_ERROR');
    await expectProblem(await request(service.client(), email), 'email_not_sent');
    expect((await service.client().verify(email, code)).status).toBe(200);
  });
});

describe('a recipient that the provider refuses for good', () => {
  it('is an error that says so, and the cool-down stays', async () => {
    const email = 'suppressed@example.com';
    const client = service.client();
    await service.refuseMails('E_RECIPIENT_SUPPRESSED');
    await expectProblem(await request(client, email), 'email_undeliverable');
    await service.refuseMails(null);
    await expectProblem(await request(client, email), 'too_many_requests');
    await service.age(email, 61_000);
    expect((await request(client, email)).status).toBe(200);
  });
});
