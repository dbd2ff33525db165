import { assert, asyncProperty, constantFrom, nat, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSigned, signatureOf } from '../../../../src/routes/delivery/url-signature.ts';

const secretOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
const secret = secretOf('a'.repeat(43));

/** As a server parses what a client has sent. */
function parsed(rest: string): string {
  const { pathname, search } = new URL(`https://host.example/${rest}`);
  return `${pathname.slice(1)}${search}`;
}

/** What a URL means: bytes, and which of them are separators (RFC 3986 §6.2.2.2). */
function meaning(rest: string): string {
  return rest.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : `<${digits.toUpperCase()}>`;
  });
}

describe('a signature', () => {
  it('is that of every spelling of a URL', async () => {
    const signature = await signatureOf(secret, 'w_50/~caf%C3%A9.jpg?a=%2F');
    for (const spelling of ['w_50/%7ecaf%c3%a9.jpg?a=%2f', 'w%5F50/~caf%C3%A9%2ejpg?%61=%2F']) {
      expect(await isSigned(signature, spelling, [secret]), spelling).toBe(true);
    }
  });

  it.each([
    ['a%2Fb', 'a%%32Fb'],
    ['a%2Fb', 'a%2%46b'],
    ['a%2Fb', 'a%%32%46b'],
    ['a%25b', 'a%%325b'],
    ['a%41b', 'a%%341b'],
  ])('of ?%s is not that of ?%s, which is no spelling of it', async (signed, other) => {
    const signature = await signatureOf(secret, `_/photo.jpg?${signed}`);
    expect(await isSigned(signature, `_/photo.jpg?${other}`, [secret])).toBe(false);
    // What encodes nothing can be signed, too.
    const own = await signatureOf(secret, `_/photo.jpg?${other}`);
    expect(await isSigned(own, `_/photo.jpg?${other}`, [secret])).toBe(true);
  });

  it('does not survive any change that is another URL', { tags: 'slow' }, async () => {
    const names = constantFrom('a b', 'é', 'x%2Fy', '50%25', '~', "it's", 'a+b', 'ü/ö');
    const rests = tuple(names, names).map(([name, value]) => `w_50/${name}.jpg?v=${value}&w=1`);
    const pieces = constantFrom('%', '/', '?', '&', '%32', '%2F', '%2f', '%7E', 'F', '4', '.');
    const changes = tuple(nat(60), nat(3), pieces);
    await assert(
      asyncProperty(rests, changes, string(), async (rest, [at, removed, put], noise) => {
        const signed = parsed(rest);
        const signature = await signatureOf(secret, signed);
        expect(await isSigned(signature, signed, [secretOf(`b${noise}`), secret])).toBe(true);
        expect(await isSigned(signature, signed, [secretOf(`b${noise}`)])).toBe(false);
        const changed = parsed(`${signed.slice(0, at)}${put}${signed.slice(at + removed)}`);
        const isSame = meaning(changed) === meaning(signed);
        expect(await isSigned(signature, changed, [secret]), changed).toBe(isSame);
        for (const wrong of [signature.slice(1), `${signature}A`, '', signature.toLowerCase()]) {
          expect(await isSigned(wrong, signed, [secret])).toBe(wrong === signature);
        }
      }),
      { numRuns: 500 },
    );
  });
});
