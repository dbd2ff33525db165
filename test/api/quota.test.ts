import { setTimeout as pause } from 'node:timers/promises';
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
  await service.meters.flush();
  const row = await service.database
    .prepare(
      `SELECT m.free_used, u.paid_used,
              (SELECT coalesce(sum(files), 0) FROM usage_days d WHERE d.user_id = u.id) AS files,
              (SELECT coalesce(sum(bytes_saved), 0) FROM usage_days d WHERE d.user_id = u.id) AS saved,
              (SELECT sum(all_time_used) FROM api_keys k WHERE k.user_id = u.id) AS used
       FROM users u JOIN mailboxes m ON m.id = u.mailbox_id WHERE email = ?1`,
    )
    .bind(email)
    .first<Record<'free_used' | 'paid_used' | 'files' | 'saved' | 'used', number>>();
  return { ...row, open: await (await service.meters.of(email)).inFlight() };
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
    await expectProblem(await optimize(key, '?format=tiff'), 'invalid_options');
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

  it('lets exactly as many parallel requests through as it has files', {
    tags: 'slow',
  }, async () => {
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

  /** The final status for a client that retries when told to. */
  async function persistently(key: string): Promise<number> {
    for (;;) {
      const response = await optimize(key);
      await response.arrayBuffer();
      if (response.status !== 503) return response.status;
      await pause(1000 * Number(response.headers.get('Retry-After')));
    }
  }

  it('is exact for a hundred at once who try again', { tags: 'slow' }, async () => {
    const key = await service.keyOf('hundred@example.com');
    const statuses = await Promise.all(Array.from({ length: 100 }, () => persistently(key)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 402)).toHaveLength(90);
    await eventually(async () => {
      const now = { open: 0, free_used: 10, files: 10, used: 10 };
      expect(await figures('hundred@example.com')).toMatchObject(now);
    });
  });

  it('is exact for twenty accounts and a thousand calls at once', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `account.${i}@example.com`);
    const keys = await Promise.all(emails.map((email) => service.keyOf(email)));
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => persistently(keys[i % 20] ?? '')),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.filter((status) => status === 402)).toHaveLength(800);
    await eventually(async () => {
      for (const email of emails) {
        expect(await figures(email)).toMatchObject({ open: 0, free_used: 10, files: 10 });
      }
    }, 20_000);
  });

  it('goes on with paid files when the free ones are used up, never below zero', async () => {
    const key = await service.keyOf('paid@example.com');
    await service.meters.use('paid@example.com', 10);
    await service.database
      .prepare(`UPDATE users SET granted_files = 2 WHERE email = 'paid@example.com'`)
      .run();
    expect((await optimize(key)).headers.get('Quota-Remaining')).toBe('1');
    await eventually(async () => {
      expect(await figures('paid@example.com')).toMatchObject({
        open: 0,
        free_used: 10,
        paid_used: 1,
      });
    });
    expect((await optimize(key)).headers.get('Quota-Remaining')).toBe('0');
    await expectProblem(await optimize(key), 'quota_exceeded');
    await eventually(async () => {
      expect(await figures('paid@example.com')).toMatchObject({ open: 0, paid_used: 2, files: 12 });
    });
  });

  it('is one for all spellings of a mailbox, also when two accounts use it at once', {
    tags: 'slow',
  }, async () => {
    const keys = [
      await service.keyOf('one.box@gmail.com'),
      await service.keyOf('onebox@gmail.com'),
    ];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => optimize(keys[i % 2] ?? '')),
    );
    const statuses = answers.map(({ status }) => status);
    const succeeded = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => [200, 402, 503].includes(status))).toBe(true);
    await eventually(async () => {
      expect(await figures('onebox@gmail.com')).toMatchObject({ open: 0, free_used: succeeded });
    });
    for (let left = 10 - succeeded; left > 0; left -= 1)
      expect((await optimize(keys[0] ?? '')).status).toBe(200);
    await expectProblem(await optimize(keys[0] ?? ''), 'quota_exceeded');
    await expectProblem(await optimize(keys[1] ?? ''), 'quota_exceeded');
  });

  it('is the same for a key that nobody has told the meter of, and for files that were given', {
    tags: 'slow',
  }, async () => {
    const email = 'told@example.com';
    const key = await service.keyOf(email);
    await service.meters.use(email, 10);
    await expectProblem(await optimize(key), 'quota_exceeded');
    await service.database
      .prepare('UPDATE users SET granted_files = 1 WHERE email = ?1')
      .bind(email)
      .run();
    expect((await optimize(await service.keyOf(email))).status).toBe(200);
    await expectProblem(await optimize(key), 'quota_exceeded');
  });
});
