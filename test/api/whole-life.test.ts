import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import { codeIn } from '../support/client.ts';
import { Curl, type CurlAnswer, hasCurl } from '../support/curl.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const email = 'whole.life@gmail.com';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await sharedTestService();
  folder = await mkdtemp(join(tmpdir(), 'whole-life-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

function read<Body>({ status, body }: CurlAnswer, expected: number): Body {
  expect(status, body).toBe(expected);
  return JSON.parse(body) as Body;
}

/** The values in a curl cookie file, in the last of seven columns. */
async function cookiesIn(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split('\t'));
  return Object.fromEntries(lines.map((columns) => [columns[5] ?? '', columns[6] ?? '']));
}

describe('an account', () => {
  it.runIf(hasCurl)('lives its whole life with curl, and the log tells nothing of it', async () => {
    const jar = join(folder, 'cookies');
    const curl = new Curl(service.url, jar);
    const photo = join(folder, 'photo.jpg');
    await writeFile(photo, await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer());

    const asked = await curl.json('POST', '/v1/auth/request-code', { email });
    expect(read(asked, 200)).toEqual({ success: true, expires_in: 600, retry_after: 60 });
    const code = codeIn(await service.inbox.latest(email));
    const { challenge = '' } = await cookiesIn(jar);
    const verified = await curl.json('POST', '/v1/auth/verify-code', { email, code });
    const { user_id } = read<{ user_id: string }>(verified, 200);
    const { sid = '' } = await cookiesIn(jar);
    const before = join(folder, 'cookies-before');
    await writeFile(before, await readFile(jar));
    expect(read(await curl.request('/v1/me'), 200)).toMatchObject({ user_id, email });

    const body = { name: 'Shop', comment: 'first' };
    const record = read<KeyRecord>(await curl.json('POST', '/v1/keys', body), 201);
    const { id, key = '' } = record;
    const smaller = join(folder, 'photo.webp');
    const optimize = (bearer: string) =>
      // Without the cookies: this is another machine.
      new Curl(service.url, join(folder, 'none')).request(
        '/v1/optimize?format=webp',
        ...['-H', `Authorization: Bearer ${bearer}`, '--data-binary', `@${photo}`, '-o', smaller],
      );
    expect((await optimize(key)).status).toBe(200);
    expect((await stat(smaller)).size).toBeLessThan((await stat(photo)).size);

    const list = async () =>
      read<{ items: KeyRecord[] }>(await curl.request('/v1/keys'), 200).items;
    await eventually(async () => {
      expect(await list()).toMatchObject([{ id, key, today_used: 1, all_time_used: 1 }]);
    });
    const patched = await curl.json('PATCH', `/v1/keys/${id}`, { name: 'Store' });
    expect(read(patched, 200)).toMatchObject({ id, name: 'Store', comment: 'first' });
    const reissued = await curl.json('POST', `/v1/keys/${id}/reissue`, {});
    const fresh = read<KeyRecord>(reissued, 201);
    expect(fresh).toMatchObject({ name: 'Store', comment: 'first', today_used: 0 });
    expect((await optimize(key)).status).toBe(401);
    expect((await optimize(fresh.key ?? '')).status).toBe(200);
    const revoked = await curl.json('POST', `/v1/keys/${fresh.id}/revoke`, {});
    expect(read(revoked, 200)).toMatchObject({ status: 'revoked' });
    expect((await optimize(fresh.key ?? '')).status).toBe(401);

    await eventually(async () => {
      const statistics = read(await curl.request('/v1/statistics'), 200);
      expect(statistics).toMatchObject({ totals: { files: 2 } });
    });
    const leaving = await curl.json('POST', '/v1/auth/logout', {});
    expect(read(leaving, 200)).toEqual({ success: true });
    expect(await cookiesIn(jar)).not.toHaveProperty('sid');
    for (const cookies of [jar, before]) {
      const response = await new Curl(service.url, cookies).request('/v1/me');
      expect(read(response, 401)).toMatchObject({ code: 'auth_required' });
    }

    const logged = service.logs();
    for (const secret of [key, fresh.key ?? '', sid, challenge, email, 'whole.life']) {
      expect(secret).not.toBe('');
      expect(logged).not.toContain(secret);
    }
    expect(logged).not.toMatch(new RegExp(`\\b${code}\\b`));
  });
});
