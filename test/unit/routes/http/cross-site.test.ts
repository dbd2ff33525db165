import { expect, it } from 'vitest';
import { isCrossSite } from '../../../../src/routes/http/cross-site.ts';

const own = 'https://img.example';
const allowed = new Set(['https://cabinet.example']);

it.each([
  [undefined, undefined, false],
  [undefined, 'same-origin', false],
  [undefined, 'same-site', false],
  [undefined, 'none', false],
  [undefined, 'cross-site', true],
  [own, undefined, false],
  [own, 'same-origin', false],
  ['https://cabinet.example', 'cross-site', false],
  ['https://evil.example', undefined, true],
  ['https://evil.example', 'same-origin', true],
  ['null', undefined, true],
  ['', undefined, true],
  ['http://img.example', undefined, true],
  ['https://img.example:8443', undefined, true],
  ['https://img.example.evil.example', undefined, true],
])('Origin %j with Sec-Fetch-Site %j is of another site: %s', (origin, fetchSite, expected) => {
  expect(isCrossSite({ origin, fetchSite }, own, allowed)).toBe(expected);
});
