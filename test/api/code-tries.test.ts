import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type Client, tokenHash } from '../support/client.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** A visitor who has requested a code, and the code. */
async function asked(email: string, ip?: string) {
  const client = service.client(ip);
  const code = await client.requestCode(email);
  return { client, code, challenge: tokenHash(client.cookie('challenge')) };
}

/** A wrong code at distance `n` from the right one; different for each `n`. */
function wrong(code: string, n = 1): string {
  const count = 10 ** code.length;
  return String((Number(code) + n) % count).padStart(code.length, '0');
}

/** Enters `count` wrong codes in parallel and checks that each is refused. */
async function fail(client: () => Client, email: string, code: string, count: number) {
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      await expectProblem(await client().verify(email, wrong(code, i + 1)), 'invalid_code');
    }),
  );
}

async function compared(challenge: string): Promise<number | null> {
  return service.database
    .prepare('SELECT count(*) AS n FROM code_tries WHERE challenge_id = ?1')
    .bind(challenge)
    .first('n');
}

describe('wrong codes', () => {
  it('are compared five times at most, however many come at once', { tags: 'slow' }, async () => {
    const email = 'hammered@example.com';
    const { client, code, challenge } = await asked(email);
    client.removeCookie('challenge');
    await fail(() => service.client(), email, code, 100);
    expect(await compared(challenge)).toBe(5);
    await expectProblem(await client.verify(email, code), 'invalid_code');
  });

  it('with the cookie are compared five times at most too', { tags: 'slow' }, async () => {
    const email = 'fumbled@example.com';
    const { client, code, challenge } = await asked(email);
    await fail(() => client, email, code, 100);
    expect(await compared(challenge)).toBe(5);
    await expectProblem(await client.verify(email, code), 'invalid_code');
  });

  it('of a stranger do not use up the tries of the owner', { tags: 'slow' }, async () => {
    const email = 'owner@example.com';
    const { client, code } = await asked(email);
    const places = Array.from({ length: 4 }, () => service.client());
    for (const stranger of places) await fail(() => stranger, email, code, 10);
    await fail(() => client, email, code, 4);
    expect((await client.verify(email, code)).status).toBe(200);
  });

  it('do not die with a cookie that was made up', async () => {
    const email = 'made-up@example.com';
    const { client, code, challenge } = await asked(email);
    const stranger = service.client();
    stranger.setCookie('challenge', 'A'.repeat(43));
    await fail(() => stranger, email, code, 10);
    stranger.setCookie('challenge', 'no such cookie');
    await fail(() => stranger, email, code, 10);
    expect(await compared(challenge)).toBeLessThanOrEqual(5);
    expect((await client.verify(email, code)).status).toBe(200);
  });

  it.each(['', ' - ', 'abcdef', '12345a', '123.456', '٠١٢٣٤٥', '+12345', '0x1234'])(
    'like %j, which are no digits, cost no try',
    async (text) => {
      const email = `letters${text.length}-${text.charCodeAt(0) || 0}@example.com`;
      const { client, code, challenge } = await asked(email);
      const responses = Array.from({ length: 6 }, () => client.verify(email, text));
      for (const response of responses) await expectProblem(await response, 'invalid_code');
      expect(await compared(challenge)).toBe(0);
      expect((await client.verify(email, code)).status).toBe(200);
    },
  );

  it('of another length are refused', async () => {
    const email = 'long@example.com';
    const { client, code } = await asked(email);
    for (const text of ['1', code.slice(1), `0${code}`, '1'.repeat(300)]) {
      await expectProblem(await client.verify(email, text), 'invalid_code');
    }
  });
});

describe('the right code', () => {
  it('signs in once, however often it comes at once', async () => {
    const email = 'double@example.com';
    const { client, code } = await asked(email);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => client.movedTo().verify(email, code)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
    const sessions = await service.database
      .prepare(
        `SELECT count(*) AS n FROM sessions
         WHERE user_id IN (SELECT id FROM users WHERE email = ?1)`,
      )
      .bind(email)
      .first('n');
    expect(sessions).toBe(1);
  });

  it('makes one user of two sign-ins at once', async () => {
    const email = 'twins@example.com';
    const one = await asked(email);
    await service.age(email, 61_000);
    const other = await asked(email);
    const users = await Promise.all(
      [one, other].map(async ({ client, code }) => (await client.verify(email, code)).json()),
    );
    expect(users[0]).toEqual({ success: true, user_id: expect.stringMatching(/^usr_/) });
    expect(users[1]).toEqual(users[0]);
  });

  it('that was used, is late, out of tries, or nobody’s, is refused in the same words', async () => {
    const used = await asked('used@example.com');
    await used.client.verify('used@example.com', used.code);
    const late = await asked('late@example.com');
    await service.age('late@example.com', 600_000);
    const spent = await asked('spent@example.com');
    await fail(() => spent.client, 'spent@example.com', spent.code, 5);
    const mistyped = await asked('mistyped@example.com');
    const answers = await Promise.all([
      used.client.movedTo().verify('used@example.com', used.code),
      late.client.verify('late@example.com', late.code),
      spent.client.verify('spent@example.com', spent.code),
      mistyped.client.verify('mistyped@example.com', wrong(mistyped.code)),
      mistyped.client.verify('mistyped@example.com', 'letters'),
      service.client().verify('nobody@example.com', '123456'),
    ]);
    const seen = new Set<string>();
    for (const answer of answers) {
      expect(answer.headers.getSetCookie()).toEqual([]);
      const names = [...answer.headers.keys()].sort().join();
      const id = answer.headers.get('Request-Id') ?? '';
      seen.add(`${names}\n${(await answer.clone().text()).replace(id, '')}`);
      await expectProblem(answer, 'invalid_code');
    }
    expect([...seen]).toHaveLength(1);
  });

  it('lasts ten minutes', async () => {
    const { client, code } = await asked('code.patient@example.com');
    await service.age('code.patient@example.com', 580_000);
    expect((await client.verify('code.patient@example.com', code)).status).toBe(200);
  });

  it('signs in when KV has lost it: D1 has its HMAC, too', async () => {
    const email = 'unread@example.com';
    const { client, code, challenge } = await asked(email);
    await service.kv.delete(`code:${challenge}`);
    expect((await client.verify(email, code)).status).toBe(200);
    await expectProblem(await client.verify(email, code), 'invalid_code');
  });
});
