import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey, keyOf } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const email = 'unlucky.person@example.com';

let service: TestService;
let client: Client;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  client = await service.signedIn(email);
  key = keyOf(await createKey(client, { name: 'a' }));
});
afterEach(() => rename('users_away', 'users'));
afterAll(() => service.close());

async function rename(from: string, to: string): Promise<void> {
  await service.database.prepare(`ALTER TABLE ${from} RENAME TO ${to}`).run();
}

it('a fault of ours is answered and logged without a word of whose it was', {
  tags: 'slow',
}, async () => {
  const visitor = service.client();
  const code = await visitor.requestCode('waiting@example.com');
  await rename('users', 'users_away');
  const headers = { Authorization: `Bearer ${key}` };
  const responses = await Promise.all([
    client.get('/v1/me'),
    client.get('/v1/keys'),
    client.post('/v1/keys', { name: 'b', comment: email }),
    // Someone pastes the key where its id belongs.
    client.post(`/v1/keys/${key}/revoke`),
    client.delete('/v1/me', { confirm: email }),
    client.get('/v1/statistics'),
    client.get('/v1/quota', headers),
    service.fetch('/v1/optimize', { method: 'POST', headers, body: 'no picture' }),
    visitor.verify('waiting@example.com', code),
  ]);
  for (const response of responses) {
    const { request_id, ...told } = (await response.clone().json()) as Record<string, unknown>;
    expect(JSON.stringify(told)).not.toMatch(/SELECT|INSERT|SQL|D1_|table|users|\bat \w+ \(/i);
    const { pathname } = new URL(response.url);
    const isMeters = pathname === '/v1/optimize';
    await expectProblem(response, isMeters ? 'overloaded' : 'internal_error');
  }
  // It may arrive later than the responses.
  const logged = await vi.waitFor(() => {
    const text = service.logs();
    for (const { headers } of responses) expect(text).toContain(headers.get('Request-Id'));
    return text;
  }, 30_000);
  const cookies = [client.cookie('sid'), visitor.cookie('challenge')];
  for (const secret of [key, ...cookies, email, 'waiting@example.com', `"${code}`]) {
    expect(logged).not.toContain(secret);
  }
});
