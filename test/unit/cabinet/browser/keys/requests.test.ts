import { expect, it } from 'vitest';
import {
  isError,
  isNoSmaller,
  requestsAddress,
  sizesText,
} from '../../../../../src/cabinet/browser/keys/key-state.ts';

it.each([
  [4_030_000, 1_300_000, '4.03 → 1.30 MB'],
  [500, null, '500 B'],
  [null, 1_300_000, '→ 1.30 MB'],
  [null, null, ''],
])('the sizes %s and %s are told as “%s”', (bytes_in, bytes_out, text) => {
  expect(sizesText({ bytes_in, bytes_out })).toBe(text);
});

it('errors are those of clients and of the service', () => {
  const errors = [200, 201, 399, 400, 402, 503].filter((status) => isError({ status }));
  expect(errors).toEqual([400, 402, 503]);
});

it.each([
  [1000, 990, 1, false],
  [1000, 991, 0, true],
  [1000, 5000, 0, true],
  // fetched once more by a client of Tinify
  [1000, 400, 0, false],
  [null, null, 0, false],
])('of %s bytes and %s, %s charged: not smaller, %s', (bytes_in, bytes_out, charged, expected) => {
  expect(isNoSmaller({ bytes_in, bytes_out, charged })).toBe(expected);
});

it('an id in a link stays one value', () => {
  expect(requestsAddress('key_a&b=c')).toBe('/cabinet/keys?requests=key_a%26b%3Dc');
});
