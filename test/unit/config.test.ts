import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

const secret = Buffer.alloc(32, 7).toString('base64');
const env = {
  SERVICE_NAME: 'Images',
  MAIL_FROM: 'no-reply@img.example',
  ALLOWED_EMAIL_DOMAINS: '*',
  FREE_FILES_PER_MONTH: '500',
  MAX_FILES_PER_MINUTE: '3000',
  MAX_NEW_RESULTS_PER_MINUTE: '300',
  UNCHARGED_PER_DAY: '2000',
  UNCHARGED_CPU_SECONDS_PER_DAY: '1800',
  MAILS_PER_DAY: '5000',
  QUOTA_PACKS: '[{"id":"small","files":1000,"amount":500,"currency":"usd"}]',
  TINIFY_API: 'on',
  KEY_LOG: 'on',
  CABINET_ORIGINS: '',
  ALLOW_HTTP_SOURCES: '',
  PRIVATE_SOURCES: '',
  PUBLIC_ORIGIN: '',
  REQUEST_LOG: 'true',
  CODE_SECRET: secret,
  KEY_SECRETS: `1:${secret}`,
  TOKEN_SECRETS: `1:${secret}`,
};

function stripeVariables(key: string, origin = '') {
  return {
    STRIPE_SECRET_KEY: key,
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
    STRIPE_API_BASE: origin,
  };
}

describe('the configuration', () => {
  it.each([
    [500, 'FREE_FILES_PER_MONTH: should be text, in quotes'],
    [undefined, 'FREE_FILES_PER_MONTH: is missing'],
    ['many', 'FREE_FILES_PER_MONTH: should be a whole number such as "500"'],
  ])('with %j for a number says what it should look like', (value, complaint) => {
    expect(() => readConfig({ ...env, FREE_FILES_PER_MONTH: value })).toThrow(complaint);
  });

  it.each([
    ['', false],
    ['1', true],
    ['true', true],
  ])('with ALLOW_HTTP_SOURCES %j says %s', (text, allows) => {
    expect(readConfig({ ...env, ALLOW_HTTP_SOURCES: text }).allowHttpSources).toBe(allows);
  });

  it.each([
    ['on', true],
    ['true', true],
    ['off', false],
    ['false', false],
    ['', false],
  ])('with TINIFY_API %j says %s', (text, isOn) => {
    expect(readConfig({ ...env, TINIFY_API: text }).tinifyApi).toBe(isOn);
  });

  it.each([
    ['', 0],
    ['1', 1],
    ['true', 1],
    ['0.01', 0.01],
    ['.5', 0.5],
  ])('with REQUEST_LOG %j logs this part of the requests: %d', (text, share) => {
    expect(readConfig({ ...env, REQUEST_LOG: text }).requestLogShare).toBe(share);
  });

  it('has private sources as they are compared', () => {
    const { privateSources } = readConfig({ ...env, PRIVATE_SOURCES: 'Images.LAN:80, [::1]:9000' });
    expect(privateSources).toEqual(new Set(['images.lan:80', '[::1]:9000']));
  });

  it('has what is for sale', () => {
    expect(readConfig(env).packs).toEqual([
      { id: 'small', files: 1000, amount: 500, currency: 'usd' },
    ]);
  });

  it('says which pack has what wrong', () => {
    const text = '[{"id":"small","files":1000,"amount":0,"currency":"usd"}]';
    const read = () => readConfig({ ...env, QUOTA_PACKS: text });
    expect(read).toThrow('QUOTA_PACKS.0.amount: should be 1 at least');
    expect(() => readConfig({ ...env, QUOTA_PACKS: undefined })).toThrow('QUOTA_PACKS: is missing');
  });

  it.each([
    {},
    { STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '', STRIPE_API_BASE: '' },
    { STRIPE_API_BASE: 'http://127.0.0.1:12111' },
  ])('takes no payments with %j', (variables) => {
    expect(readConfig({ ...env, ...variables }).stripe).toBeNull();
  });

  it.each([
    ['sk_live_51Abcdefgh', '', null],
    ['rk_live_51Abcdefgh', '', null],
    ['sk_test_51Abcdefgh', 'http://127.0.0.1:12111', 'http://127.0.0.1:12111/'],
  ])('takes payments with the key %s and the origin %j', (secretKey, origin, apiBase) => {
    const { stripe } = readConfig({ ...env, ...stripeVariables(secretKey, origin) });
    expect(stripe).toMatchObject({ secretKey, webhookSecret: 'whsec_0123456789' });
    expect(stripe?.apiBase?.href ?? null).toBe(apiBase);
  });

  it.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_secret0' }, 'STRIPE_WEBHOOK_SECRET: is missing'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_secret0' }, 'STRIPE_SECRET_KEY: is missing'],
    [stripeVariables('pk_test_secret0'), 'STRIPE_SECRET_KEY: should be a secret key of Stripe'],
    [stripeVariables('sk_test_secret 0'), 'STRIPE_SECRET_KEY: should be a secret key of Stripe'],
    [
      { ...stripeVariables('sk_test_secret0'), STRIPE_WEBHOOK_SECRET: 'we_secret00' },
      'STRIPE_WEBHOOK_SECRET: should be the signing secret',
    ],
    [
      stripeVariables('sk_live_secret0', 'https://secret.example'),
      'STRIPE_API_BASE: should be empty beside a live key',
    ],
    [
      stripeVariables('rk_live_secret0', 'https://secret.example'),
      'STRIPE_API_BASE: should be empty beside a live key',
    ],
    [
      stripeVariables('sk_test_secret0', 'https://secret.example/v1'),
      'STRIPE_API_BASE: should be an origin',
    ],
    [stripeVariables('sk_test_secret0', 'secret'), 'STRIPE_API_BASE: should be an origin'],
  ])('cannot be used with %j, and says why', (variables, why) => {
    const read = () => readConfig({ ...env, ...variables });
    expect(read).toThrow(why);
    expect(read).not.toThrow(/secret[0.]|secret 0/);
  });

  it.each([
    ['ALLOW_HTTP_SOURCES', 'false', 'should be "true", or empty'],
    ['ALLOW_HTTP_SOURCES', 'yes', 'should be "true", or empty'],
    ['TINIFY_API', 'perhaps', 'should be "on" or "off"'],
    ['KEY_LOG', 'perhaps', 'should be "on" or "off"'],
    ['REQUEST_LOG', 'false', 'should be "true", a share such as "0.01", or empty'],
    ['REQUEST_LOG', '0.0', 'should be "true", a share such as "0.01", or empty'],
    ['REQUEST_LOG', '1.5', 'should be "true", a share such as "0.01", or empty'],
    ['PRIVATE_SOURCES', 'secret.lan', 'should be hosts with ports'],
    ['PRIVATE_SOURCES', 'http://secret.lan:80', 'should be hosts with ports'],
  ])('cannot be used with %s %j, and says why', (name, text, why) => {
    const read = () => readConfig({ ...env, [name]: text });
    expect(read).toThrow(`${name}: ${why}`);
    expect(read).not.toThrow('secret');
  });

  it('has Turnstile where both of its keys are set', () => {
    const keys = {
      TURNSTILE_SITE_KEY: '0x4AAAAAAA_site',
      TURNSTILE_SECRET_KEY: '0x4AAAAAAA_secret',
    };
    const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = keys;
    expect(readConfig({ ...env, ...keys }).turnstile).toEqual({
      siteKey,
      secretKey,
      origin: 'https://challenges.cloudflare.com',
    });
    expect(readConfig(env).turnstile).toBeNull();
    expect(() => readConfig({ ...env, TURNSTILE_API_BASE: 'https://elsewhere.example' })).toThrow(
      'TURNSTILE_API_BASE: should be an origin on this machine',
    );
    // The secret is set before the site key is deployed.
    expect(readConfig({ ...env, TURNSTILE_SECRET_KEY: secretKey }).turnstile).toBeNull();
    expect(() => readConfig({ ...env, TURNSTILE_SITE_KEY: siteKey })).toThrow(
      'TURNSTILE_SECRET_KEY: is missing, though TURNSTILE_SITE_KEY is set',
    );
  });
});
