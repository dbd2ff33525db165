import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { scheduler } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { sendQuotaMail } from '../../../src/meter/quota-mails.ts';
import { configWith } from '../../support/config.ts';
import { inProcess } from '../../support/recorded-database.ts';

const folder = join(import.meta.dirname, '../../../migrations');
const config = configWith({ MAILS_PER_DAY: '5' });
const mail = {
  ...{ kind: 'free-low' as const, period: '2026-11', isDone: false },
  ...{ userId: `usr_${'0'.repeat(32)}`, origin: 'https://img.example' },
};

let file: DatabaseSync;
let events: string[];
let logged: unknown[];
beforeEach(() => {
  file = new DatabaseSync(':memory:');
  for (const name of readdirSync(folder).sort())
    if (name.endsWith('.sql')) file.exec(readFileSync(join(folder, name), 'utf8'));
  file.exec(`
    INSERT INTO mailboxes (id) VALUES ('mbx_1');
    INSERT INTO users (id, mailbox_id, email, epoch, created_at)
    VALUES ('${mail.userId}', 'mbx_1', 'a@gmail.com', 0, 0)`);
  events = [];
  logged = [];
  vi.stubGlobal('scheduler', scheduler);
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(line));
});

function send(refusal: string | null = null, readers = [mail.userId], isDue = true) {
  const EMAIL = {
    send: async () => {
      events.push('sent');
      if (refusal !== null) throw Object.assign(new Error('no'), { code: refusal });
      return { messageId: '1' };
    },
  } as unknown as SendEmail;
  const begin = async (userId: string | null) => {
    events.push(userId === null ? 'dropped' : 'begun');
    return userId !== null && isDue ? { freeFilesLeft: 0 } : null;
  };
  return sendQuotaMail({ DB: inProcess(file), EMAIL }, config, { mail, readers }, begin);
}

const mailsToday = () => file.prepare('SELECT mails FROM mail_days').get()?.mails ?? 0;

it('is counted among the day’s mails, and marked before it goes out', async () => {
  await send();
  expect([events, mailsToday(), logged]).toEqual([['begun', 'sent'], 1, []]);
});

it('stays due when D1 takes no writes', async () => {
  file.exec('DROP TABLE mail_days');
  await expect(send()).rejects.toThrow('mail_days');
  expect(events).toEqual([]);
});

it('is not sent where another alarm has begun to, and takes no mail of the day', async () => {
  await send(null, [mail.userId], false);
  expect([events, mailsToday()]).toEqual([['begun'], 0]);
});

it('is dropped when three of five mails of the day are gone, the rest being for codes', async () => {
  for (let i = 0; i < 3; i += 1) await send();
  events = [];
  await send();
  expect([events, mailsToday()]).toEqual([['dropped'], 3]);
  expect(logged).toEqual([{ event: 'quota_mail_dropped', reason: 'mail_limit_reached' }]);
});

it('is dropped when the provider refuses it, and takes no mail of the day', async () => {
  await send('E_RECIPIENT_SUPPRESSED');
  await send('E_RATE_LIMIT_EXCEEDED');
  expect([events, mailsToday()]).toEqual([['begun', 'sent', 'begun', 'sent'], 0]);
  const reasons = ['undeliverable', 'E_RATE_LIMIT_EXCEEDED'];
  expect(logged).toEqual(reasons.map((reason) => ({ event: 'quota_mail_dropped', reason })));
});

it('is dropped in silence when it is true for nobody, not wanted, or the account is gone', async () => {
  await send(null, []);
  file.exec('UPDATE users SET quota_mails = 0');
  await send();
  file.exec('UPDATE users SET quota_mails = 1, email = NULL');
  await send();
  expect([events, mailsToday(), logged]).toEqual([['dropped', 'dropped', 'dropped'], 0, []]);
});

it('goes to the first who wants it', async () => {
  file.exec(`
    INSERT INTO users (id, mailbox_id, email, epoch, created_at) VALUES ('usr_2', 'mbx_1', 'b@gmail.com', 0, 0);
    UPDATE users SET quota_mails = 0 WHERE id = '${mail.userId}'`);
  await send(null, [mail.userId, 'usr_2']);
  expect(events).toEqual(['begun', 'sent']);
});
