import { expect, it } from 'vitest';
import { networkOf } from '../../../src/access/network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::/64'],
  ['2001:DB8:1:2::', '2001:0db8:0001:0002::/64'],
  ['2001:db8::1', '2001:0db8:0000:0000::/64'],
  ['::1', '0000:0000:0000:0000::/64'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['', 'unknown'],
  ['no address', 'unknown'],
  ['300.1.1.1', 'unknown'],
])('%j is of %s', (address, network) => {
  expect(networkOf({ header: () => address })).toBe(network);
});

it('is unknown without the header', () => {
  expect(networkOf({ header: () => undefined })).toBe('unknown');
});
