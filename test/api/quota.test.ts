import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: TestService;
let photo: Buffer;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '10' });
  photo = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
});
afterAll(() => service.close());

function optimize(key: string, query = '', body: Uint8Array = photo): Promise<Response> {
  return service.fetch(`/v1/optimize${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: Uint8Array.from(body),
  });
}

async function figures(email: string) {
  return service.database
    .prepare(
      `SELECT (SELECT count(*) FROM reservations r WHERE r.user_id = u.id) AS open,
              u.free_used, u.paid_files,
              (SELECT coalesce(sum(files), 0) FROM usage_days d WHERE d.user_id = u.id) AS files,
              (SELECT coalesce(sum(bytes_saved), 0) FROM usage_days d WHERE d.user_id = u.id) AS saved,
              (SELECT sum(all_time_used) FROM api_keys k WHERE k.user_id = u.id) AS used
       FROM users u WHERE email = ?1`,
    )
    .bind(email)
    .first();
}

describe('the quota', () => {
  it('is charged for files that became smaller, and counts all', async () => {
    const key = await service.keyOf('counted@example.com');
    const smaller = await optimize(key);
    expect(smaller.headers.get('Quota-Remaining')).toBe('9');
    const saved = photo.length - (await smaller.arrayBuffer()).byteLength;
    const coarse = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 20 }).toBuffer());
    const smallest = await service.optimize(coarse);
    const same = await optimize(key, '', Buffer.from(await smallest.arrayBuffer()));
    expect(same.headers.get('Image-Optimized')).toBe('false');
    expect(same.headers.get('Quota-Remaining')).toBe('9');
    await eventually(async () => {
      expect(await figures('counted@example.com')).toMatchObject({
        open: 0,
        free_used: 1,
        files: 2,
        used: 2,
      });
    });
    expect((await figures('counted@example.com'))?.saved).toBeGreaterThanOrEqual(saved);
  });

  it('is not touched by a request that is refused', async () => {
    const key = await service.keyOf('refused@example.com');
    await expectProblem(await optimize(key, '?format=gif'), 'invalid_options');
    await expectProblem(await optimize(key, '', Buffer.from('text')), 'unsupported_media_type');
    await expectProblem(await optimize(key, '', photo.subarray(0, 900)), 'invalid_image');
    await eventually(async () => {
      expect(await figures('refused@example.com')).toMatchObject({
        open: 0,
        free_used: 0,
        files: 0,
        used: 0,
      });
    });
  });

  it('lets exactly as many parallel requests through as it has files', async () => {
    const key = await service.keyOf('parallel@example.com');
    const responses = await Promise.all(Array.from({ length: 40 }, () => optimize(key)));
    const statuses = responses.map(({ status }) => status);
    const succeeded = statuses.filter((status) => status === 200).length;
    expect(succeeded).toBeLessThanOrEqual(10);
    expect(statuses.every((status) => [200, 402, 503].includes(status))).toBe(true);
    await eventually(async () => {
      const now = { open: 0, free_used: succeeded, files: succeeded, used: succeeded };
      expect(await figures('parallel@example.com')).toMatchObject(now);
    });
    for (let left = 10 - succeeded; left > 0; left -= 1)
      expect((await optimize(key)).status).toBe(200);
    const problem = await expectProblem(await optimize(key), 'quota_exceeded');
    expect(problem.free_resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
  });

  it('goes on with paid files when the free ones are used up, never below zero', async () => {
    const key = await service.keyOf('paid@example.com');
    await service.database
      .prepare(
        `UPDATE users SET paid_files = 2, free_month = ?1, free_used = 10 WHERE email = 'paid@example.com'`,
      )
      .bind(new Date().toISOString().slice(0, 7))
      .run();
    expect((await optimize(key)).headers.get('Quota-Remaining')).toBe('1');
    await eventually(async () => {
      expect(await figures('paid@example.com')).toMatchObject({
        open: 0,
        free_used: 10,
        paid_files: 1,
      });
    });
    expect((await optimize(key)).headers.get('Quota-Remaining')).toBe('0');
    await expectProblem(await optimize(key), 'quota_exceeded');
    await eventually(async () => {
      expect(await figures('paid@example.com')).toMatchObject({ open: 0, paid_files: 0, files: 2 });
    });
  });

  it.each([
    ['begins anew with the month', 'monthly@example.com', '2020-01', 10, { left: 9, used: 1 }],
    [
      'is not given back by a file that is settled after the month has turned',
      'turned@example.com',
      '2999-12',
      4,
      { left: 5, used: 5 },
    ],
  ])('%s', async (_name, email, month, used, after) => {
    const key = await service.keyOf(email);
    await service.database
      .prepare('UPDATE users SET free_month = ?2, free_used = ?3 WHERE email = ?1')
      .bind(email, month, used)
      .run();
    expect((await optimize(key)).headers.get('Quota-Remaining')).toBe(String(after.left));
    await eventually(async () => {
      expect(await figures(email)).toMatchObject({ free_used: after.used, open: 0 });
    });
  });

  it('counts what is reserved and open, until that has expired', async () => {
    const key = await service.keyOf('open@example.com');
    const insert = (prefix: string, expires: number) =>
      service.database
        .prepare(
          `INSERT INTO reservations (id, user_id, key_id, expires_at)
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
           SELECT ?1 || i, k.user_id, k.id, ?2 FROM n, api_keys k JOIN users u ON u.id = k.user_id
           WHERE u.email = 'open@example.com'`,
        )
        .bind(prefix, expires)
        .run();
    await insert('expired', Date.now() - 1);
    expect((await optimize(key)).status).toBe(200);
    await insert('open', Date.now() + 60_000);
    await expectProblem(await optimize(key), 'quota_exceeded');
  });

  it('of a revoked key is out of reach with the next request', async () => {
    const key = await service.keyOf('revoked@example.com');
    expect((await optimize(key)).status).toBe(200);
    await service.database
      .prepare(
        `UPDATE api_keys SET status = 'revoked' WHERE user_id = (SELECT id FROM users WHERE email = 'revoked@example.com')`,
      )
      .run();
    await expectProblem(await optimize(key), 'invalid_api_key');
  });
});
