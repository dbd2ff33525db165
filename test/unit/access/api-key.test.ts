import { describe, expect, it } from 'vitest';
import {
  apiKeyPrefix,
  hashApiKey,
  isWellFormedApiKey,
  type KeySecrets,
  makeApiKey,
  openApiKey,
  parseKeySecrets,
  sealApiKey,
} from '../../../src/access/api-key.ts';

const base64 = (fill: number) => Buffer.alloc(32, fill).toString('base64');

function secrets(text: string): KeySecrets {
  const parsed = parseKeySecrets(text);
  if (!parsed) throw new Error('unusable secrets');
  return parsed;
}

describe('an API key', () => {
  it('is imgo_ with 32 random and 6 checksum characters of base62', () => {
    expect(makeApiKey()).toMatch(/^imgo_[0-9A-Za-z]{38}$/);
  });

  it('ends with the CRC-32 of all before it, big-endian base62, padded with zeros', () => {
    // reference values from another implementation (Python's zlib.crc32)
    expect(isWellFormedApiKey(`imgo_${'0'.repeat(32)}46hVVB`)).toBe(true);
    expect(isWellFormedApiKey(`imgo_${'0'.repeat(32)}46hVVC`)).toBe(false);
    expect(isWellFormedApiKey(`imgo_${'0'.repeat(30)}VW009S4h`)).toBe(true);
  });

  it('is different every time', () => {
    const keys = new Set(Array.from({ length: 1000 }, makeApiKey));
    expect(keys.size).toBe(1000);
  });

  it('uses every character of the alphabet about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i += 1) {
      for (const character of makeApiKey().slice(5, 37)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 64,000 draws: 1032 each, standard deviation 32
    for (const count of counts.values()) expect(Math.abs(count - 1032)).toBeLessThan(200);
  });

  it('is refused when any one character is changed', () => {
    const key = makeApiKey();
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('is refused cut short, prolonged, or with space around it', () => {
    const key = makeApiKey();
    for (const other of [key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, '', 'imgo_']) {
      expect(isWellFormedApiKey(other)).toBe(false);
    }
  });

  it('is shown by its first 11 characters', () => {
    expect(apiKeyPrefix('imgo_abcdefghij')).toBe('imgo_abcdef');
  });

  it('is looked up by SHA-256', async () => {
    expect(await hashApiKey('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('a sealed key', () => {
  const key = makeApiKey();

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

describe('KEY_SECRETS', () => {
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
    expect(parseKeySecrets(text)).toBeNull();
  });
});
