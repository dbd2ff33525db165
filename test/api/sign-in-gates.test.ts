import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { addressOf, sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const minute = 60;
const hour = 60 * minute;

function request(email: string, client: Client = service.client()): Promise<Response> {
  return client.post('/v1/auth/request-code', { email });
}

/** Requests a code after the cool-down. */
async function requestLater(email: string, client?: Client): Promise<Response> {
  await service.age(email, 61_000);
  return request(email, client);
}

async function expectTooMany(response: Response, longest: number): Promise<void> {
  await expectProblem(response, 'too_many_requests');
  const seconds = Number(response.headers.get('Retry-After'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(longest);
}

function statuses(responses: Response[]) {
  const count = (wanted: number) => responses.filter(({ status }) => status === wanted).length;
  return { sent: count(200), refused: count(429), all: responses.length };
}

describe('one address', () => {
  it('gets one code a minute, whoever asks', async () => {
    const email = 'minute@example.com';
    const client = service.client();
    expect((await request(email, client)).status).toBe(200);
    await expectTooMany(await request(email, client), minute);
    const refused = await request('Minute+x@example.com');
    expect(refused.headers.has('Set-Cookie')).toBe(false);
    await expectTooMany(refused, minute);
    await service.age(email, 45_000);
    await expectTooMany(await request(email), 15);
    await service.age(email, 15_000);
    expect((await request(email)).status).toBe(200);
    expect(await service.inbox.count(email)).toBe(2);
  });

  it('gets one mail of 20 requests in parallel', async () => {
    const email = 'parallel@example.com';
    const responses = await Promise.all(Array.from({ length: 20 }, () => request(email)));
    expect(statuses(responses)).toEqual({ sent: 1, refused: 19, all: 20 });
    expect(await service.inbox.count(email)).toBe(1);
  });

  it('gets 5 codes an hour from one place', async () => {
    const email = 'place@example.com';
    const { ip } = service.client();
    // Without cookies, so that they are unknown to each other.
    for (let i = 0; i < 5; i += 1)
      expect((await requestLater(email, service.client(ip))).status).toBe(200);
    await expectTooMany(await requestLater(email, service.client(ip)), hour);
    expect((await request(email)).status).toBe(200);
    await service.age(email, hour * 1000);
    expect((await request(email, service.client(ip))).status).toBe(200);
  });

  it('gets 20 codes an hour from everywhere', { tags: 'slow' }, async () => {
    const email = 'everywhere@example.com';
    for (let i = 0; i < 20; i += 1) expect((await requestLater(email)).status).toBe(200);
    await expectTooMany(await requestLater(email), hour);
    expect(await service.inbox.count(email)).toBe(20);
    await service.age(email, hour * 1000);
    expect((await request(email)).status).toBe(200);
  });

  it('has three codes at most that are live, the newest ones', async () => {
    const email = 'live@example.com';
    const asked: { client: Client; code: string }[] = [];
    for (let i = 0; i < 4; i += 1) {
      await service.age(email, 61_000);
      const client = service.client();
      asked.push({ client, code: await client.requestCode(email) });
    }
    const [first, second, third, fourth] = await Promise.all(
      asked.map(({ client, code }) => client.verify(email, code)),
    );
    if (!first || !second || !third || !fourth) throw new Error('four codes were asked for');
    await expectProblem(first, 'invalid_code');
    expect([second.status, third.status, fourth.status]).toEqual([200, 200, 200]);
  });
});

describe('a stranger who keeps asking', () => {
  it('ends codes of his own, not that of the owner', async () => {
    const email = 'wanted@example.com';
    const owner = service.client();
    const code = await owner.requestCode(email);
    const stranger = service.client();
    for (let i = 0; i < 4; i += 1) {
      await service.age(email, 61_000);
      stranger.removeCookie('challenge');
      expect((await stranger.post('/v1/auth/request-code', { email })).status).toBe(200);
    }
    expect((await owner.verify(email, code)).status).toBe(200);
  });
});

describe('one place', () => {
  it('gets 30 mails an hour, in parallel too', { tags: 'slow' }, async () => {
    const { ip } = service.client();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => request(`place${i}@example.com`, service.client(ip))),
    );
    expect(statuses(responses)).toEqual({ sent: 30, refused: 10, all: 40 });
    await expectTooMany(await request('place-more@example.com', service.client(ip)), hour);
    expect((await request('place-more@example.com')).status).toBe(200);
  });

  it('is a network of 64 bits with IPv6', async () => {
    const network = '2001:db8:0:7';
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, i) => {
        const ip = i % 2 === 0 ? `${network}::${i.toString(16)}` : `${network}:ffff:1:2:${i}`;
        return request(`six${i}@example.com`, service.client(ip));
      }),
    );
    expect(statuses(responses)).toEqual({ sent: 30, refused: 2, all: 32 });
    for (const spelled of ['2001:0DB8:0000:0007:0000:0000:0000:0001', '2001:db8::7:0:0:0:1']) {
      await expectTooMany(await request('six@example.com', service.client(spelled)), hour);
    }
    expect((await request('six@example.com', service.client('2001:db8:0:8::1'))).status).toBe(200);
  });
});

describe('a new request', () => {
  it('ends the earlier code of the same cookie', async () => {
    const email = 'impatient@example.com';
    const client = service.client();
    const first = await client.requestCode(email);
    const before = client.movedTo();
    await service.age(email, 61_000);
    const second = await client.requestCode(email);
    await expectProblem(await before.verify(email, first), 'invalid_code');
    expect((await client.verify(email, second)).status).toBe(200);
  });

  it('leaves the codes of others alone', async () => {
    const email = 'shared@example.com';
    const client = service.client();
    const code = await client.requestCode(email);
    expect((await requestLater(email)).status).toBe(200);
    expect((await client.verify(email, code)).status).toBe(200);
  });

  it('that is refused leaves the earlier code as it is', async () => {
    const email = 'hasty@example.com';
    const client = service.client();
    const code = await client.requestCode(email);
    await expectTooMany(await request(email, client), minute);
    expect((await client.verify(email, code)).status).toBe(200);
  });
});

/** An address in one of the 65,536 networks of a /48. */
function ipIn(site: string, network: number): string {
  return `2001:db8:${site}:${network.toString(16)}::1`;
}

describe('a /48 of IPv6', () => {
  it('gets 60 mails an hour, however many of its networks ask at once', {
    tags: 'slow',
  }, async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        request(`site${i}@example.com`, service.client(ipIn('a', i))),
      ),
    );
    expect(statuses(responses)).toEqual({ sent: 60, refused: 40, all: 100 });
    const elsewhere = await request('site-other@example.com', service.client(ipIn('b', 1)));
    expect(elsewhere.status).toBe(200);
  });

  it('gets 10 codes an hour for one address', async () => {
    const email = 'site-address@example.com';
    for (let i = 0; i < 10; i += 1) {
      expect((await requestLater(email, service.client(ipIn('c', i)))).status).toBe(200);
    }
    await expectTooMany(await requestLater(email, service.client(ipIn('c', 99))), hour);
    expect((await request(email, service.client(ipIn('d', 1)))).status).toBe(200);
  });

  it('may fail 60 times an hour, however many of its networks enter codes at once', {
    tags: 'slow',
  }, async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `site-guess${i}@example.com`);
    await Promise.all(emails.map((email) => request(email)));
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const client = service.client(ipIn('e', i));
        return client.verify(emails[i % emails.length] ?? '', '123451');
      }),
    );
    const site = await rowsOf(emails[0] ?? '');
    expect(site).toEqual({ compared: 60, all: 100 });
  });

  /** The tries of the whole /48 that has tried this address. */
  async function rowsOf(email: string) {
    return service.database
      .prepare(
        `SELECT count(challenge_id) AS compared, count(*) AS "all" FROM code_tries WHERE site = (
           SELECT t.site FROM code_tries t JOIN challenges c ON c.id = t.challenge_id
           WHERE c.address = ?1 AND t.site IS NOT NULL LIMIT 1)`,
      )
      .bind(await addressOf(email))
      .first();
  }
});

describe('codes that there is nothing to compare with', () => {
  it('leave 300 rows an hour at most for one place', { tags: 'slow' }, async () => {
    const client = service.client();
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(
        Array.from({ length: 45 }, () => client.verify('nobody-here@example.com', '123456')),
      );
    }
    const found = await service.database
      .prepare('SELECT max(n) AS most FROM (SELECT count(*) AS n FROM code_tries GROUP BY network)')
      .first();
    expect(found).toEqual({ most: 300 });
  });
});
