import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMailboxId } from '../../../src/access/mailbox.ts';
import { makeSessionToken } from '../../../src/access/session.ts';
import { expectProblem } from '../../support/answers.ts';
import { StoreFile } from '../../support/store-file.ts';
import { localTokenSecrets } from '../../support/tokens.ts';
import { expectPartAway, FailingService, isWell } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(() => service.close());

describe('a KV store that fails at everything', () => {
  const table = StoreFile.kvTable;

  it('is seen by the health check', async () => {
    await service.parts.kv.without(table, async () => {
      expect(await service.health()).toEqual({
        status: 503,
        body: { status: 'failing', failing: ['kv'] },
      });
    });
    expect(await service.health()).toEqual(isWell);
  });

  it('ends no session, and keeps none open that has been ended', async () => {
    const other = service.visitor();
    await other.signIn('ended@gmail.com');
    const sid = other.cookie('sid');
    await service.parts.kv.without(table, async () => {
      expect((await service.client.get('/v1/me')).status).toBe(200);
      expect((await service.client.patch('/v1/me', { quota_mails: true })).status).toBe(200);
      expect((await other.post('/v1/auth/logout')).status).toBe(200);
      other.setCookie('sid', sid);
      await expectProblem(await other.get('/v1/me'), 'auth_required');
      // D1, which decides alone, has never heard of it
      other.setCookie('sid', await makeSessionToken(newMailboxId(), localTokenSecrets()));
      await expectProblem(await other.get('/v1/me'), 'auth_required');
    });
    other.setCookie('sid', sid);
    await expectProblem(await other.get('/v1/me'), 'auth_required');
  });

  it('lets nobody sign in, and costs neither a code nor a try', async () => {
    const visitor = service.visitor();
    const code = await visitor.requestCode('waiting@gmail.com');
    await service.parts.kv.without(table, async () => {
      for (let i = 0; i < 6; i += 1) {
        await expectPartAway(await visitor.verify('waiting@gmail.com', code));
      }
      const newcomer = service.visitor();
      const request = { email: 'newcomer@gmail.com' };
      await expectPartAway(await newcomer.post('/v1/auth/request-code', request));
    });
    expect((await visitor.verify('waiting@gmail.com', code)).status).toBe(200);
    // the cool-down does not count what was not sent
    await service.visitor().signIn('newcomer@gmail.com');
  });

  it('that can be read and not written costs neither a code nor a try', async () => {
    const visitor = service.visitor();
    const code = await visitor.requestCode('halfway@gmail.com');
    await service.parts.kv.whileLocked(async () => {
      for (let i = 0; i < 6; i += 1) {
        await expectPartAway(await visitor.verify('halfway@gmail.com', code));
      }
    });
    expect((await visitor.verify('halfway@gmail.com', code)).status).toBe(200);
  });
});
