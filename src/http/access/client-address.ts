import { BlockList, isIPv6 } from 'node:net';

/** Says which client sent a request: its `peer`, or what `proxies` in front of it tell in `X-Forwarded-For`. */
export function clientAddressBehind(proxies: readonly string[]): (request: Request, peer: string) => string {
  const trusted = new BlockList();
  for (const [address = '', bits] of proxies.map((proxy) => proxy.split('/'))) {
    const family = familyOf(address);
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));
  return ({ headers }, peer) => {
    const told = headers.get('x-forwarded-for')?.split(',') ?? [];
    const hops = [...told, peer].map(plain);
    return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer; // what stands before it the client may have made up
  };
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Without the port that some proxies add; IPv4 as such. */
const plain = (hop: string) =>
  hop
    .trim()
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/i, '');
