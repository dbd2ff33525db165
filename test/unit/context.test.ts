import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/context.ts';

const secret = Buffer.alloc(32, 7).toString('base64');
const env = {
  SERVICE_NAME: 'Images',
  MAIL_FROM: 'no-reply@img.example',
  ALLOWED_EMAIL_DOMAINS: '*',
  FREE_FILES_PER_MONTH: '500',
  UNCHARGED_PER_DAY: '2000',
  CABINET_ORIGINS: '',
  ALLOW_HTTP_SOURCES: '',
  PRIVATE_SOURCES: '',
  PUBLIC_ORIGIN: '',
  CODE_SECRET: secret,
  KEY_SECRETS: `1:${secret}`,
};

describe('the configuration', () => {
  it.each([
    ['', false],
    ['1', true],
    ['true', true],
  ])('with ALLOW_HTTP_SOURCES %j says %s', (text, allows) => {
    expect(readConfig({ ...env, ALLOW_HTTP_SOURCES: text }).allowHttpSources).toBe(allows);
  });

  it('has private sources as they are compared', () => {
    const { privateSources } = readConfig({ ...env, PRIVATE_SOURCES: 'Images.LAN:80, [::1]:9000' });
    expect(privateSources).toEqual(new Set(['images.lan:80', '[::1]:9000']));
  });

  it.each([
    ['ALLOW_HTTP_SOURCES', 'false', 'should be "true", or empty'],
    ['ALLOW_HTTP_SOURCES', 'yes', 'should be "true", or empty'],
    ['PRIVATE_SOURCES', 'secret.lan', 'should be hosts with ports'],
    ['PRIVATE_SOURCES', 'http://secret.lan:80', 'should be hosts with ports'],
  ])('cannot be used with %s %j, and says why', (name, text, why) => {
    const read = () => readConfig({ ...env, [name]: text });
    expect(read).toThrow(`${name}: ${why}`);
    expect(read).not.toThrow('secret');
  });
});
