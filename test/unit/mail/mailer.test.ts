import { scheduler } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bindingMailer } from '../../../src/mail/mails.ts';

const message = { to: 'you@example.com', subject: 's', text: 't', html: 'h' };
const from = { name: 'Service', email: 'no-reply@example.com' };

// A global of Workers.
beforeAll(() => vi.stubGlobal('scheduler', scheduler));

function refusing(error: unknown) {
  return bindingMailer({ send: () => Promise.reject(error) }, from);
}

describe('the mail binding', () => {
  it('is not waited for without end', async () => {
    vi.stubGlobal('scheduler', { wait: async () => {} });
    const delivery = await bindingMailer({ send: () => new Promise(() => {}) }, from)(message);
    expect(delivery).toEqual({ kind: 'failed', reason: 'timeout' });
    vi.stubGlobal('scheduler', scheduler);
  });

  it('gets the message with its sender', async () => {
    const send = vi.fn(async () => ({ messageId: '1' }));
    expect(await bindingMailer({ send }, from)(message)).toEqual({ kind: 'sent' });
    expect(send).toHaveBeenCalledWith({ ...message, from });
  });

  it.each(['E_RECIPIENT_SUPPRESSED', 'E_RECIPIENT_NOT_ALLOWED'])('%s is for good', async (code) => {
    const error = Object.assign(new Error('you@example.com'), { code });
    expect(await refusing(error)(message)).toEqual({ kind: 'undeliverable' });
  });

  it.each([
    ['E_RATE_LIMIT_EXCEEDED', 'E_RATE_LIMIT_EXCEEDED'],
    ['E_SENDER_NOT_VERIFIED', 'E_SENDER_NOT_VERIFIED'],
    ['to you@example.com', 'unknown'],
    [42, 'unknown'],
    [undefined, 'unknown'],
  ])('an error of code %j is worth another try, and named %s', async (code, reason) => {
    const error = Object.assign(new Error('email to you@example.com not allowed'), { code });
    expect(await refusing(error)(message)).toEqual({ kind: 'failed', reason });
  });

  it('may fail with something that is no error, or before it has begun', async () => {
    expect(await refusing('you@example.com')(message)).toEqual({
      kind: 'failed',
      reason: 'unknown',
    });
    const broken = () => {
      throw new TypeError('no');
    };
    const delivery = await bindingMailer({ send: broken }, from)(message);
    expect(delivery).toEqual({ kind: 'failed', reason: 'unknown' });
  });
});
