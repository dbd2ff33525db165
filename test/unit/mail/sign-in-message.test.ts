import { describe, expect, it } from 'vitest';
import { signInMessage } from '../../../src/mail/mails.ts';

const mail = {
  to: 'you@example.com',
  code: '012345',
  serviceName: 'Tom & <Jerry>',
  origin: 'https://img.example',
  askedAt: new Date('2026-11-20T21:31:59Z'),
  minutes: 10,
};

describe('the mail with the code', () => {
  it('has it in the subject, the text and the page, once each', async () => {
    const { to, subject, text, html } = await signInMessage(mail);
    expect(to).toBe('you@example.com');
    for (const part of [subject, text, html]) expect(part.split('012345').length).toBe(2);
  });

  it('says who asked and when, and that it can be ignored', async () => {
    const { text, html } = await signInMessage(mail);
    for (const part of [text, html]) {
      expect(part).toContain('https://img.example');
      expect(part).toContain('20 November 2026 at 21:31 UTC');
      expect(part).toContain('ignore this mail');
      expect(part).toContain('10 minutes');
    }
  });

  it('shows the name of the service as it is', async () => {
    const { subject, text, html } = await signInMessage(mail);
    expect(subject).toBe('012345 is your code for Tom & <Jerry>');
    expect(text).toContain('Tom & <Jerry>');
    expect(html).toContain('Tom &amp; &lt;Jerry&gt;');
    expect(html).not.toContain('<Jerry>');
  });
});
