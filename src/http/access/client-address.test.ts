import { expect, test } from 'bun:test';
import { clientAddressBehind } from './client-address.ts';

const clientOf = (proxies: readonly string[], peer: string, forwardedFor?: string) =>
  clientAddressBehind(proxies)(
    new Request('http://notes.lan', forwardedFor === undefined ? {} : { headers: { 'X-Forwarded-For': forwardedFor } }),
    peer,
  );
const local = ['127.0.0.0/8', '::1'];

test.each([
  ['no proxy', clientOf(local, '10.0.0.7'), '10.0.0.7'],
  ['a client that names another', clientOf(local, '10.0.0.7', '10.0.0.8'), '10.0.0.7'],
  ['a proxy on this machine', clientOf(local, '::ffff:127.0.0.1', '10.0.0.8'), '10.0.0.8'],
  ['a proxy on this machine, by IPv6', clientOf(local, '::1', '2001:db8::8'), '2001:db8::8'],
  ['a client that names another to the proxy', clientOf(local, '127.0.0.1', '10.0.0.9, 10.0.0.8'), '10.0.0.8'],
  ['two proxies', clientOf([...local, '10.1.0.0/16'], '127.0.0.1', '10.0.0.9, 10.0.0.8, 10.1.2.3'), '10.0.0.8'],
  ['a network of IPv6', clientOf(['2001:db8:1::/48'], '2001:db8:1::5', '10.0.0.8'), '10.0.0.8'],
  ['a proxy that adds the port', clientOf(local, '127.0.0.1', '10.0.0.8:40123'), '10.0.0.8'],
  ['a proxy that names nobody', clientOf(local, '127.0.0.1'), '127.0.0.1'],
  ['no trusted proxy', clientOf([], '127.0.0.1', '10.0.0.8'), '127.0.0.1'],
  ['what is no address', clientOf(local, '127.0.0.1', 'unknown'), 'unknown'],
])('of %s the client is known', (_, found, expected) => {
  expect(found).toBe(expected);
});
