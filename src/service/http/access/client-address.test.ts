import { expect, test } from 'bun:test';
import { createClientAddressFinder } from './client-address.ts';

async function getClientAddress(peer: string, forwarded: string | undefined, trustedProxies: readonly string[]) {
  const read = await createClientAddressFinder(() => peer, trustedProxies);
  return read(new Request('http://notes.example/', { headers: forwarded ? { 'X-Forwarded-For': forwarded } : {} }));
}

const proxies = ['10.0.0.0/8', '192.0.2.1', '2001:db8:1::/48', 'fd00::7'];

test.each([
  ['203.0.113.7', '192.0.2.66', '203.0.113.7'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', '192.0.2.66, 203.0.113.7', '203.0.113.7'],
  ['::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '192.0.2.66', '203.0.113.7'],
  ['10.1.2.3', '203.0.113.7,192.0.2.1 , ::ffff:10.4.5.6', '203.0.113.7'],
  ['2001:db8:1::3', '2001:DB8:2::4', '2001:db8:2::4'],
  ['fd00::7', '203.0.113.7:4711, [2001:db8:1::9]:4712, [fd00::7]', '203.0.113.7'],
  ['10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
  ['10.1.2.3', '203.0.113.7, unknown', '10.1.2.3'],
  ['10.1.2.3', '203.0.113.7, ', '10.1.2.3'],
  ['10.1.2.3', '203.0.113.7, 999.0.0.1, 10.0.0.9', '10.0.0.9'],
  ['', '203.0.113.7', ''],
])('behind proxies, a request of the peer %p for %p comes from %s', async (peer, forwarded, address) => {
  expect(await getClientAddress(peer, forwarded, proxies)).toBe(address);
});

test('without trusted proxies, only the peer counts', async () => {
  expect(await getClientAddress('127.0.0.1', '203.0.113.7', [])).toBe('127.0.0.1');
  expect(await getClientAddress('::ffff:127.0.0.1', undefined, [])).toBe('127.0.0.1');
});
