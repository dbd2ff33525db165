import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { addressOf, sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const day = 24 * 60 * 60 * 1000;

/** Requests a code after the cool-down. */
async function codeFor(email: string, client: Client): Promise<string> {
  await service.age(email, 61_000);
  return client.requestCode(email);
}

/** Enters wrong codes in parallel; they differ from `code` in the last digit. */
async function fail(client: Client, email: string, code: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const digit = (Number(code.slice(-1)) + 1 + i) % 10;
      const response = await client.verify(email, `${code.slice(0, -1)}${digit}`);
      await expectProblem(response, 'invalid_code');
    }),
  );
}

/** Fails five times with the cookie and `others` times without. */
async function failOften(email: string, others: number): Promise<void> {
  const client = service.client();
  const code = await codeFor(email, client);
  await fail(client, email, code, 5);
  await fail(service.client(), email, code, others);
}

describe('one place', () => {
  it('may fail 30 times an hour; then no code is right there', { tags: 'slow' }, async () => {
    const { ip } = service.client();
    for (let i = 0; i < 6; i += 1) {
      const client = service.client(ip);
      await fail(client, `row${i}@example.com`, await client.requestCode(`row${i}@example.com`), 5);
    }
    const client = service.client(ip);
    const code = await client.requestCode('honest@example.com');
    for (let i = 0; i < 6; i += 1) {
      await expectProblem(await client.verify('honest@example.com', code), 'invalid_code');
    }
    expect((await client.movedTo().verify('honest@example.com', code)).status).toBe(200);
  });

  it('may be right as often as it likes', { tags: 'slow' }, async () => {
    const { ip } = service.client();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const client = service.client(ip);
        const code = await client.requestCode(`office${i}@example.com`);
        return (await client.verify(`office${i}@example.com`, code)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const client = service.client();
    const code = await client.requestCode('office@example.com');
    expect((await client.movedTo(ip).verify('office@example.com', code)).status).toBe(200);
  });
});

describe('after ten failures on an address', () => {
  it('codes have twelve digits, until one was right', { tags: 'slow' }, async () => {
    const email = 'guessed@example.com';
    await failOften(email, 5);
    const client = service.client();
    const code = await codeFor(email, client);
    expect(code).toMatch(/^\d{12}$/);
    const { subject, text, html } = await service.inbox.latest(email);
    for (const part of [subject, text, html]) expect(part.replaceAll(/[ -]/g, '')).toContain(code);
    const typed = `${code.slice(0, 4)} ${code.slice(4, 8)}-${code.slice(8)}`;
    expect((await client.verify(email, typed)).status).toBe(200);
    expect(await codeFor(email, service.client())).toMatch(/^\d{6}$/);
  });

  it('is not after nine', async () => {
    const email = 'nine@example.com';
    await failOften(email, 4);
    expect(await codeFor(email, service.client())).toMatch(/^\d{6}$/);
  });

  it('a day makes up for them', async () => {
    const email = 'yesterday@example.com';
    await failOften(email, 5);
    await service.age(email, day);
    expect(await codeFor(email, service.client())).toMatch(/^\d{6}$/);
  });

  it('nothing is kept of them once they count no more', async () => {
    const email = 'long.forgotten@example.com';
    await failOften(email, 2);
    const live = service.client();
    await service.age(email, day + 1);
    const code = await live.requestCode(email);
    await service.tidy();
    const { results } = await service.database
      .prepare(
        `SELECT (SELECT count(*) FROM code_tries WHERE challenge_id = c.id) AS tries
         FROM challenges c WHERE address = ?1`,
      )
      .bind(await addressOf(email))
      .all();
    expect(results).toEqual([{ tries: 0 }]);
    expect((await live.verify(email, code)).status).toBe(200);
  });
});
