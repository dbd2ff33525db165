import { describe, expect, it } from 'vitest';
import { clientAddress, parseProxies } from '../../../../src/node/http/client-address.ts';

const proxies = parseProxies('10.0.0.0/8, 192.0.2.1 2001:db8:1::/48') ?? [];

describe('the address of a client', () => {
  it.each([
    ['a stranger says nothing about itself', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['behind one proxy', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['behind two', '10.0.0.1', '203.0.113.5, 192.0.2.1', '203.0.113.5'],
    ['what the client wrote is left of it', '10.0.0.1', '6.6.6.6, 203.0.113.5', '203.0.113.5'],
    ['also if it looks like a proxy', '10.0.0.1', '10.9.9.9, 203.0.113.5', '203.0.113.5'],
    ['only proxies', '10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['garbage ends the chain', '10.0.0.1', '203.0.113.5, what', '10.0.0.1'],
    ['a socket for both families', '::ffff:10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['IPv6', '2001:db8:1::9', '2001:db8:2::1', '2001:db8:2::1'],
    ['a port', '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['a port and brackets', '10.0.0.1', '[2001:db8:2::1]:4711', '2001:db8:2::1'],
    ['numbers that are no address', '10.0.0.1', '3405803781', '10.0.0.1'],
    ['a connection that is gone', undefined, '203.0.113.5', ''],
  ])('%s', (_, socket, header, client) => {
    expect(clientAddress(socket, header, proxies)).toBe(client);
  });
});

it.each([
  ...['10.0.0.0/33', 'proxy.lan', '10.0.0.0/8/8', '10.0.0.1, what'],
  ...['10', '10/8', '10.1', '0x0a.0.0.1', '012.0.0.1', '010.0.0.0/8', '10.0.0.0/'],
])('no list of proxies: %s', (text) => expect(parseProxies(text)).toBeNull());
