import { describe, expect, it } from 'vitest';
import { parsePrivateSources, privateSource } from '../../../src/policy/source-url.ts';

describe('private sources', () => {
  it.each([
    ['', []],
    [' ,\n', []],
    ['localhost:8080', ['localhost:8080']],
    ['Images.LAN.:80, 10.1:443', ['images.lan:80', '10.0.0.1:443']],
    ['[::1]:9000\n münchen.lan:1', ['[::1]:9000', 'xn--mnchen-3ya.lan:1']],
  ])('are read from %j', (text, entries) => {
    expect(parsePrivateSources(text)).toEqual(new Set(entries));
  });

  it.each([
    'localhost',
    'http://a:80',
    'a:80/b',
    'a:65536',
    'a:x',
    ':80',
    '::1:80',
    'u@a:80',
    '*:80',
    'a:b:80',
  ])('are not %j', (text) => {
    expect(parsePrivateSources(`ok.lan:1, ${text}`)).toBeNull();
  });

  it.each([
    ['https://a.lan/x', 'a.lan:443'],
    ['http://A.lan./x', 'a.lan:80'],
    ['https://a.lan:80/x', 'a.lan:80'],
    ['http://[::1]:8080/', '[::1]:8080'],
  ])('that %s would need is %s', (url, entry) => {
    expect(privateSource(new URL(url))).toBe(entry);
  });
});
