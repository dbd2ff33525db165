import { describe, expect, it } from 'vitest';
import { normalizeEmailAddress } from '../../../src/access/email-address.ts';

describe('an email address', () => {
  it.each([
    ['alice@gmail.com', 'alice@gmail.com'],
    ['Alice+shop@GMail.com', 'alice@gmail.com'],
    [' alice@gmail.com ', 'alice@gmail.com'],
    ['a.b-c_d@mail.example.org', 'a.b-c_d@mail.example.org'],
    ['alice+a+b@gmail.com', 'alice@gmail.com'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ['ana@почта.рф', 'ana@xn--80a1acny.xn--p1ai'],
    ["o'neil@gmail.com", "o'neil@gmail.com"],
    ['o&m/x=y!@gmail.com', 'o&m/x=y!@gmail.com'],
  ])('%j goes by %j', (text, address) => {
    expect(normalizeEmailAddress(text)).toBe(address);
  });

  it.each([
    '',
    'alice',
    '@gmail.com',
    '+x@gmail.com',
    'a b@gmail.com',
    'a@b@gmail.com',
    'alice@',
    'alice@localhost',
    'alice@gmail.com/path',
    'alice@gmail..com',
    'alice@gmail.com:80',
    '.alice@gmail.com',
    'alice.@gmail.com',
    'al..ice@gmail.com',
    '"alice"@gmail.com',
    'alice<b>@gmail.com',
    'alice\r\nb@gmail.com',
    'älice@gmail.com',
    'alice@-gmail.com',
    'alice@gmail-.com',
    'alice@127.0.0.1',
    'alice@[127.0.0.1]',
    `alice@${'a'.repeat(64)}.com`,
    `${'a'.repeat(65)}@gmail.com`,
    `alice@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`,
    'a'.repeat(300),
  ])('%j is none', (text) => {
    expect(normalizeEmailAddress(text)).toBeNull();
  });
});
