import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { tokenHash } from '../support/client.ts';
import { type ServiceWithLaggingKv, startServiceWithLaggingKv } from '../support/service.ts';

let service: ServiceWithLaggingKv;
beforeAll(async () => {
  service = await startServiceWithLaggingKv();
});
afterEach(() => service.lag(false));
afterAll(() => service.close());

it('a right code signs in where KV does not have it yet', { tags: 'slow' }, async () => {
  await service.lag(true);
  const client = service.client();
  const code = await client.requestCode('early@example.com');
  await expectProblem(await client.verify('early@example.com', `${code}0`), 'invalid_code');
  // Near the end of its lifetime.
  await service.age('early@example.com', 590_000);
  expect((await client.verify('early@example.com', code)).status).toBe(200);
  await expectProblem(await client.verify('early@example.com', code), 'invalid_code');
});

it('a code whose life is over is refused, though KV lags', { tags: 'slow' }, async () => {
  await service.lag(true);
  const client = service.client();
  const code = await client.requestCode('late@example.com');
  await service.age('late@example.com', 600_000);
  await expectProblem(await client.verify('late@example.com', code), 'invalid_code');
});

it('a fresh session works where KV does not have it yet, with its first request', {
  tags: 'slow',
}, async () => {
  await service.lag(true);
  const client = await service.signedIn('fresh@example.com');
  const elsewhere = client.movedTo();
  expect((await elsewhere.get('/v1/me')).status).toBe(200);
  expect((await elsewhere.post('/v1/keys', { name: 'first' })).status).toBe(201);
});

it('a session that has ended is refused, though KV still has it', { tags: 'slow' }, async () => {
  const client = await service.signedIn('ended@example.com');
  const elsewhere = client.movedTo();
  await service.lag(true);
  expect((await client.post('/v1/auth/logout')).status).toBe(200);
  await expectProblem(await elsewhere.get('/v1/me'), 'auth_required');
});

it('a session that KV should have had for long is refused without', { tags: 'slow' }, async () => {
  await service.lag(true);
  const client = await service.signedIn('old@example.com');
  await service.database
    .prepare('UPDATE sessions SET created_at = created_at - 300000 WHERE hash = ?1')
    .bind(tokenHash(client.cookie('sid')))
    .run();
  await expectProblem(await client.get('/v1/me'), 'auth_required');
  await service.lag(false);
  expect((await client.get('/v1/me')).status).toBe(200);
});
