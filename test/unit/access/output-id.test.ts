import { describe, expect, it } from 'vitest';
import {
  issueOutputId,
  newOutput,
  newOutputRandom,
  readOutputId,
} from '../../../src/access/output-id.ts';
import { secretsOf, secretText, tokenSecrets } from '../../support/tokens.ts';

const secrets = secretsOf(tokenSecrets);
const now = Date.parse('2026-11-23T10:00:00.700Z');
const userId = `usr_${'0123456789abcdef'.repeat(2)}`;

async function issued(random = newOutputRandom()) {
  const output = await newOutput(random, userId);
  return { output, text: await issueOutputId(output, { mark: '3', now }, secrets) };
}

describe('the id of an output', () => {
  it('says when it was issued, to whom, what it is, and what it is sealed under', async () => {
    const { output, text } = await issued();
    expect(text).toMatch(/^out_[0-9A-Za-z]+$/);
    const { keyText, ...rest } = output;
    expect(await readOutputId(text, secrets)).toEqual({
      ...rest,
      mark: '3',
      issuedAt: Date.parse('2026-11-23T10:00:00Z'),
      expiresAt: Date.parse('2026-11-23T10:10:00Z'),
    });
    expect(text).toContain(keyText);
    expect(output.key).toHaveLength(32);
    expect(output.name).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has a key and a name of its own each time, also for the same user and random', async () => {
    const random = newOutputRandom();
    const [one, other] = [await newOutput(random, userId), await newOutput(random, userId)];
    expect(one.name).not.toBe(other.name);
    expect(one.key).not.toEqual(other.key);
    expect(one.random).toBe(other.random);
  });

  it('is none when a character of it is another one, or it was issued under other secrets', async () => {
    const { text } = await issued();
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
      expect(await readOutputId(changed, secrets)).toBe(null);
    }
    expect(await readOutputId(text, secretsOf(secretText(['2', 9])))).toBe(null);
    for (const other of ['', 'out_', `${text}0`, text.slice(1)]) {
      expect(await readOutputId(other, secrets)).toBe(null);
    }
  });

  it('is made for users only', async () => {
    const output = await newOutput(newOutputRandom(), 'key_1');
    expect(() => issueOutputId(output, { mark: '0', now }, secrets)).toThrow('no user');
  });
});
