import { expect, it } from 'vitest';
import { clientNetwork } from '../../../src/access/network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7', null],
  ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::/64', '2001:0db8:0001::/48'],
  ['2001:DB8:1:2::', '2001:0db8:0001:0002::/64', '2001:0db8:0001::/48'],
  ['2001:db8:1:ffff::9', '2001:0db8:0001:ffff::/64', '2001:0db8:0001::/48'],
  ['2001:db8::1', '2001:0db8:0000:0000::/64', '2001:0db8:0000::/48'],
  ['::1', '0000:0000:0000:0000::/64', '0000:0000:0000::/48'],
  ['::ffff:203.0.113.7', '203.0.113.7', null],
  ['::ffff:cb00:7107', '203.0.113.7', null],
  ['', 'unknown', null],
  ['no address', 'unknown', null],
  ['300.1.1.1', 'unknown', null],
])('%j is of %s, and of the site %s', (address, network, site) => {
  expect(clientNetwork({ header: () => address })).toEqual({ network, site });
});

it('is unknown without the header', () => {
  expect(clientNetwork({ header: () => undefined })).toEqual({ network: 'unknown', site: null });
});
