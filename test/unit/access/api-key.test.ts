import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  apiKeyPrefix,
  hashApiKey,
  isWellFormedApiKey,
  makeApiKey,
  openApiKey,
  presentedKey,
  sealApiKey,
} from '../../../src/access/api-key.ts';
import { parseSecretVersions } from '../../../src/access/secrets.ts';
import { madeUpKey, secretsOf, tokenSecrets, unknownKey } from '../../support/tokens.ts';

const base64 = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const secrets = secretsOf;
const mailboxId = `mbx_${'aB3'.repeat(5)}xy`;

/** The parsed key of a request. */
const presented = (key: string, text = tokenSecrets) =>
  presentedKey({ header: () => `Bearer ${key}` }, secrets(text));

describe('an API key', () => {
  it('is fewer_ with random characters, a version, the mailbox, a MAC and a checksum, in base62', async () => {
    const key = await makeApiKey(mailboxId, secrets(tokenSecrets));
    expect(key).toMatch(/^fewer_[0-9A-Za-z]{22}2aB3aB3aB3aB3aB3xy[0-9A-Za-z]{23}$/);
    expect(key).toHaveLength(69);
  });

  it('ends with the CRC-32 of all before it, big-endian base62, padded with zeros', () => {
    // Reference values from another implementation (Python's zlib.crc32).
    expect(isWellFormedApiKey(`fewer_${'0'.repeat(57)}2Bt1st`)).toBe(true);
    expect(isWellFormedApiKey(`fewer_${'0'.repeat(57)}2Bt1s0`)).toBe(false);
    expect(isWellFormedApiKey(`fewer_${'0'.repeat(56)}100kXZ3`)).toBe(true);
  });

  it('has 96 bits of HMAC-SHA-256 over all before them, in 17 digits', async () => {
    const key = await makeApiKey(mailboxId, secrets(tokenSecrets));
    const mac = createHmac('sha256', Buffer.alloc(32, 12)).update(key.slice(0, -23)).digest();
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const value = [...key.slice(-23, -6)].reduce(
      (sum, digit) => 62n * sum + BigInt(digits.indexOf(digit)),
      0n,
    );
    expect(value).toBe(BigInt(`0x${mac.toString('hex', 0, 12)}`));
  });

  it('is different every time', async () => {
    const keys = new Set(await Promise.all(Array.from({ length: 1000 }, unknownKey)));
    expect(keys.size).toBe(1000);
  });

  it('uses every character of the alphabet about equally often', async () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i += 1) {
      for (const character of (await unknownKey()).slice(6, 28)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 44,000 draws: 710 each, standard deviation 26.
    for (const count of counts.values()) expect(Math.abs(count - 710)).toBeLessThan(160);
  });

  it('is refused when any one character is changed', async () => {
    const key = await unknownKey();
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      const changed = key.slice(0, at) + other + key.slice(at + 1);
      expect(isWellFormedApiKey(changed)).toBe(false);
      expect(await presented(changed)).toBeNull();
    }
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('is refused cut short, prolonged, or with space around it', async () => {
    const key = await unknownKey();
    for (const other of [key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, '', 'fewer_']) {
      expect(isWellFormedApiKey(other)).toBe(false);
    }
  });

  it('tells its mailbox, as long as the version of its secret is listed', async () => {
    const before = secrets(`a:${base64(1)}`);
    const key = await makeApiKey(mailboxId, before);
    const hash = await hashApiKey(key);
    expect(await presented(key, `a:${base64(1)}`)).toEqual({ hash, mailboxId });
    expect(await presented(key, `b:${base64(2)},a:${base64(1)}`)).toEqual({ hash, mailboxId });
    expect(await presented(key, `b:${base64(2)}`)).toBeNull();
    expect(await presented(key, `a:${base64(2)}`)).toBeNull();
  });

  it('that was made up is refused, though its checksum is right', async () => {
    const key = await madeUpKey();
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(await presented(key)).toBeNull();
  });

  it('is shown by its first 11 characters', () => {
    expect(apiKeyPrefix('fewer_abcdefghij')).toBe('fewer_abcde');
  });

  it('is looked up by SHA-256', async () => {
    expect(await hashApiKey('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('a sealed key', () => {
  let key = '';
  beforeAll(async () => {
    key = await unknownKey();
  });

  it('opens again under the same id', async () => {
    const sealed = await sealApiKey(key, 'key_1', secrets(`1:${base64(1)}`));
    expect(sealed).not.toContain(key.slice(5, 20));
    expect(await openApiKey(sealed, 'key_1', secrets(`1:${base64(1)}`))).toBe(key);
  });

  it('does not open under another id', async () => {
    const sealed = await sealApiKey(key, 'key_1', secrets(`1:${base64(1)}`));
    expect(await openApiKey(sealed, 'key_2', secrets(`1:${base64(1)}`))).toBeNull();
  });

  it('is sealed by the newest secret and opens as long as that is listed', async () => {
    const before = secrets(`1:${base64(1)}`);
    const after = secrets(`2:${base64(2)}, 1:${base64(1)}`);
    const old = await sealApiKey(key, 'key_1', before);
    const young = await sealApiKey(key, 'key_1', after);
    expect(young.startsWith('2.')).toBe(true);
    expect(await openApiKey(old, 'key_1', after)).toBe(key);
    expect(await openApiKey(young, 'key_1', before)).toBeNull();
  });

  it('does not open when a bit has changed', async () => {
    const sealed = await sealApiKey(key, 'key_1', secrets(`1:${base64(1)}`));
    const [version, iv, ciphertext = ''] = sealed.split('.');
    const bytes = Buffer.from(ciphertext, 'base64');
    bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
    const changed = [version, iv, bytes.toString('base64')].join('.');
    expect(await openApiKey(changed, 'key_1', secrets(`1:${base64(1)}`))).toBeNull();
    expect(await openApiKey('rubbish', 'key_1', secrets(`1:${base64(1)}`))).toBeNull();
  });
});

describe('secrets by version', () => {
  it('takes version:base64 pairs of 32 bytes, the newest first', () => {
    const parsed = secrets(`b:${base64(2)},a:${base64(1)}`);
    expect([...parsed.keys()]).toEqual(['b', 'a']);
    expect(parsed.get('a')).toEqual(new Uint8Array(32).fill(1));
  });

  it.each([
    ['nothing', ''],
    ['a bare secret', base64(1)],
    ['31 bytes', `1:${Buffer.alloc(31).toString('base64')}`],
    ['a version twice', `1:${base64(1)},1:${base64(2)}`],
    ['a comma too many', `1:${base64(1)},`],
  ])('refuses %s', (_what, text) => {
    expect(parseSecretVersions(text)).toBeNull();
  });
});
