import { describe, expect, it } from 'vitest';
import { type QuotaMail, quotaMessage } from '../../../src/mail/mails.ts';

const mail: QuotaMail = {
  to: 'you@example.com',
  kind: 'free-low',
  serviceName: 'Small & Co',
  origin: 'https://img.example',
  freeFilesPerMonth: 1500,
  freeFilesLeft: 0,
  freeResetsAt: new Date('2027-01-01T00:00:00Z'),
  isForSale: true,
  unsubscribeUrl: 'https://img.example/unsubscribe?token=uns_1',
};

describe('a mail about quota', () => {
  it('can be ended from within a mail program, with one click', async () => {
    const { headers, text, html } = await quotaMessage(mail);
    expect(headers).toEqual({
      'List-Unsubscribe': '<https://img.example/unsubscribe?token=uns_1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    for (const part of [text, html]) expect(part).toContain(mail.unsubscribeUrl);
  });

  it.each([
    ['free-low', '80% of your free files for December are used', '1,500 free files'],
    ['free-used-up', 'Your free files for December are used up', '1 January'],
    ['pack-low', '20% of your latest pack is left', '80% of the files'],
    ['pack-used-up', 'Your paid files are used up', '402 quota_exceeded'],
  ] as const)('of kind %s says %j', async (kind, subject, fact) => {
    const message = await quotaMessage({ ...mail, kind });
    expect(message.subject).toBe(`${subject} – Small & Co`);
    for (const part of [message.text, message.html]) expect(part).toContain(fact);
    expect(message.html).toContain('Small &amp; Co');
  });

  it('offers files only where they are for sale', async () => {
    const { text } = await quotaMessage(mail);
    expect(text).toMatch(/buy more files:\nhttps:\/\/img\.example\/cabinet\/payment\n/);
    const free = await quotaMessage({ ...mail, isForSale: false });
    expect(free.text).not.toMatch(/buy|payment/);
    expect(free.text).toContain('https://img.example/cabinet\n');
  });
});
