import { describe, expect, it } from 'vitest';
import { openApiKey, resealApiKey, sealApiKey, sealedUnder } from '../../../src/access/api-key.ts';
import { secretsOf as parsed, secretText, unknownKey } from '../../support/tokens.ts';

const secretsOf = (...pairs: Parameters<typeof secretText>) => parsed(secretText(...pairs));

const id = 'key_1';
const key = await unknownKey();
const both = secretsOf(['b', 2], ['a', 1]);

describe('a sealed key, when secrets are rotated', () => {
  it('is the same key under the newest secret', async () => {
    const outcome = await resealApiKey(await sealApiKey(key, id, secretsOf(['a', 1])), id, both);
    if (outcome.kind !== 'resealed') throw new Error(outcome.kind);
    expect(sealedUnder(outcome.sealed)).toBe('b');
    expect(await openApiKey(outcome.sealed, id, secretsOf(['b', 2]))).toBe(key);
    expect(await resealApiKey(outcome.sealed, id, both)).toEqual({ kind: 'current' });
  });

  it('is left as it is where no secret opens it', async () => {
    const unreadable = { kind: 'unreadable' };
    const sealed = await sealApiKey(key, id, secretsOf(['a', 1]));
    expect(await resealApiKey(sealed, id, secretsOf(['b', 2]))).toEqual(unreadable);
    expect(await resealApiKey(sealed, id, secretsOf(['b', 2], ['a', 3]))).toEqual(unreadable);
    expect(await resealApiKey(sealed, id, secretsOf(['a', 3]))).toEqual(unreadable);
    expect(await resealApiKey(sealed, 'key_2', both)).toEqual(unreadable);
    for (const text of ['', 'a', 'a..', 'b.!.!', sealed.slice(0, -4)]) {
      expect(await resealApiKey(text, id, both)).toEqual(unreadable);
    }
  });
});
