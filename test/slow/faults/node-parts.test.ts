import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longPicture } from '../../../bench/load/pictures.ts';
import { expectProblem } from '../../support/answers.ts';
import { mailServerOf } from '../../support/node/mail-server.ts';
import { FailingService, isWell } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start({ THREADS: '2' });
});
afterAll(() => service.close());

describe('a mail server that is away', () => {
  it('lets nobody sign in, says so soon, keeps nothing else from working, and costs no code', async () => {
    const mails = mailServerOf(service.url('/').port);
    const visitor = service.visitor();
    const request = { email: 'waiting.for.mail@gmail.com' };
    await mails.stop();
    const began = Date.now();
    for (let i = 0; i < 3; i += 1) {
      await expectProblem(await visitor.post('/v1/auth/request-code', request), 'email_not_sent');
    }
    expect(Date.now() - began).toBeLessThan(15_000);
    expect((await service.optimize()).status).toBe(200);
    expect((await service.client.get('/v1/me')).status).toBe(200);
    expect(await service.health()).toEqual(isWell);
    await mails.started();
    await visitor.signIn(request.email);
    expect(service.parts.output).toContain('E_CONNECTION');
  });
});

describe('a service that is stopped while it sends mails', () => {
  it('sends the others that are due as well', async () => {
    const stopped = await FailingService.start({ FREE_FILES_PER_MONTH: '1' });
    const mails = mailServerOf(stopped.url('/').port);
    expect((await stopped.optimize()).status).toBe(200);
    await expect.poll(() => stopped.parts.reserved()).toBe(0);
    const isSending = Promise.withResolvers<void>();
    mails.beforeSender = async () => {
      isSending.resolve();
      await pause(1000);
    };
    // The meter’s alarm is due.
    await stopped.parts.node.call('setClockAhead', 120_000);
    await isSending.promise;
    await stopped.parts.node.stop();
    const subjects: string[] = [];
    for await (const { subject } of mails.sentTo(stopped.email)) subjects.push(subject);
    expect(subjects).toEqual([
      expect.stringContaining('are used up'),
      expect.stringContaining('80% of your free files'),
      expect.stringContaining('is your code'),
    ]);
    expect(stopped.parts.output).not.toContain('quota_mail_dropped');
    await stopped.close();
  });
});

describe('a thread that dies', () => {
  it('is an answer to try again for the picture in it, charges nothing, and is replaced', async () => {
    expect((await service.optimize()).status).toBe(200);
    const used = await service.used();
    const { bytes, query } = await longPicture();
    const init = { method: 'POST', body: Uint8Array.from(bytes) };
    let died = 0;
    for (let round = 0; round < 4; round += 1) {
      const answer = service.fetchWithKey(`/v1/optimize${query}`, init);
      await pause(700);
      await service.parts.node.call('killThread');
      await service.parts.node.call('killThread').catch(() => {});
      const response = await answer;
      if (response.status === 200) continue;
      await expectProblem(response, 'overloaded');
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      died += 1;
      // Pages go on without a pause.
      expect((await fetch(service.url('/'))).status).toBe(200);
    }
    expect(died).toBeGreaterThan(0);
    expect(await service.used()).toBe(used + 4 - died);
    await expect.poll(async () => (await service.optimize()).status).toBe(200);
    await expect.poll(() => service.parts.reserved()).toBe(0);
    expect(await service.health()).toEqual(isWell);
  }, 120_000);
});
