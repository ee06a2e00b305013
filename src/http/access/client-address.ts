import { BlockList, isIPv6 } from 'node:net';

/**
 * Finds the client of a request: its `peer`, or behind trusted `proxies`, the last untrusted hop in `X-Forwarded-For`.
 */
export function clientAddressBehind(proxies: readonly string[]): (request: Request, peer: string) => string {
  const trusted = new BlockList();
  for (const [address = '', bits] of proxies.map((proxy) => proxy.split('/'))) {
    const family = familyOf(address);
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));
  return ({ headers }, peer) => {
    const forwarded = headers.get('x-forwarded-for')?.split(',') ?? [];
    const hops = [...forwarded, peer].map(plain);
    return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer; // a client may forge earlier hops
  };
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Removes the port that some proxies add, and the IPv6 prefix of an IPv4 address. */
const plain = (hop: string) =>
  hop
    .trim()
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
