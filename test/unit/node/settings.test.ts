import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commonVariables, readNodeSettings } from '../../../src/node/settings.ts';
import { askForDomains } from '../../../src/node/terminal.ts';
import { settings } from '../../../src/settings.ts';

describe('the settings of the server', () => {
  it('need nothing on a machine of one’s own', () => {
    expect(readNodeSettings({ PORT: '' })).toMatchObject({
      ...{ STATE_DIR: resolve('data'), PORT: 8787, HOST: '127.0.0.1', MAIL_URL: '' },
      ...{ MEMORY_MIB: 256, RESULTS_MIB: 10_240, TRUSTED_PROXIES: [] },
    });
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'img.example'])(
    'require an origin for links when others reach %s',
    (HOST) => {
      expect(() => readNodeSettings({ HOST })).toThrow('PUBLIC_ORIGIN: is required');
      const settings = { HOST, PUBLIC_ORIGIN: 'https://img.example' };
      expect(readNodeSettings(settings).HOST).toBe(HOST);
    },
  );

  it.each([
    ['PORT', '80a'],
    ['PORT', '70000'],
    ['HOST', 'http://localhost'],
    ['TRUSTED_PROXIES', 'caddy'],
    ['MAIL_URL', 'https://secret.example'],
    ['THREADS', '0'],
    ['MEMORY_MIB', '95'],
    ['RESULTS_MIB', '10 GB'],
  ])('are refused by name, without the value: %s %s', (name, value) => {
    let message = '';
    try {
      readNodeSettings({ [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`  ${name}: should be `);
    expect(message).not.toContain(value === '0' ? ' 0.' : `"${value}"`);
  });

  it('leave those of the app as they are, with their defaults', () => {
    const variables = commonVariables({
      SERVICE_NAME: 'Ours',
      STRIPE_SECRET_KEY: 'sk_test_12345678',
    });
    expect(variables).toMatchObject({ SERVICE_NAME: 'Ours', TINIFY_API: 'on' });
    expect(variables.STRIPE_SECRET_KEY).toBe('sk_test_12345678');
    expect(variables).not.toHaveProperty('CODE_SECRET');
  });

  it('of the app have their defaults if they are empty, unless empty is a value of its own', () => {
    const names = Object.entries(settings).flatMap(([name, { default: usual }]) =>
      usual ? [name] : [],
    );
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    const own = { TINIFY_API: '', KEY_LOG: '', REQUEST_LOG: '' };
    expect(commonVariables(empty)).toEqual({ ...commonVariables({}), ...own });
    expect(commonVariables({ CODE_SECRET: '' })).not.toHaveProperty('CODE_SECRET');
  });
});

describe('the first start in a terminal', () => {
  async function kept(...answers: string[]) {
    const texts: Record<string, string> = {};
    const state = {
      keeps: (name: string) => name in texts,
      keep: (name: string, text: string) => {
        texts[name] = text;
      },
    };
    // The answers are for one start; a later one does not ask.
    for (let start = 1; start <= 2; start += 1) {
      await askForDomains(
        async () => answers.shift() ?? Promise.reject('too many questions'),
        state,
      );
    }
    return texts;
  }

  it('keeps whose addresses may sign in, and asks until that can be read', async () => {
    expect(await kept('example.org')).toEqual({ ALLOWED_EMAIL_DOMAINS: 'example.org' });
    expect(await kept('you@example.org', ' a.example, b.example ')).toEqual({
      ALLOWED_EMAIL_DOMAINS: 'a.example, b.example',
    });
  });

  it('keeps that Enter was the answer', async () => {
    expect(await kept('')).toEqual({ ALLOWED_EMAIL_DOMAINS: '' });
  });
});
