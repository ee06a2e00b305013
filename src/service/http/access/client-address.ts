import { isIpAddress } from '../../../core/setting-values.ts';

/** Returns the address of the client that sent a request, and an empty text if it has left already. */
export type GetClientAddress = (request: Request) => string;

/**
 * Finds out who sent a request. Only a peer in `trustedProxies` (addresses, and networks like `10.0.0.0/8`) is believed
 * in what it says about others: each proxy appends the address of its own peer to `X-Forwarded-For`, and what stands
 * before that may have been sent by anybody. With the proxies `10.0.0.1` and `10.0.0.2`:
 *
 *     peer 10.0.0.2, X-Forwarded-For: 192.0.2.66, 203.0.113.7, 10.0.0.1   -> 203.0.113.7
 *     peer 203.0.113.7, X-Forwarded-For: 192.0.2.66                       -> 203.0.113.7
 */
export async function createClientAddressFinder(
  getPeerAddress: GetClientAddress,
  trustedProxies: readonly string[],
): Promise<GetClientAddress> {
  if (trustedProxies.length === 0) return (request) => normalizeAddress(getPeerAddress(request));
  const isTrustedProxy = await createNetworkPredicate(trustedProxies);
  return (request) => {
    let address = normalizeAddress(getPeerAddress(request));
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
    while (isTrustedProxy(address)) {
      const previous = tryParseForwardedAddress(forwarded.pop() ?? '');
      if (previous === undefined) break; // the proxy did not say who its peer was
      address = previous;
    }
    return address;
  };
}

/** Creates a check whether an address is in one of the networks. Imports `node:net` on demand, which costs 15 ms. */
async function createNetworkPredicate(networks: readonly string[]): Promise<(address: string) => boolean> {
  const { BlockList } = await import('node:net');
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/', 2);
    if (bits === undefined) list.addAddress(address, getAddressFamily(address));
    else list.addSubnet(address, Number(bits), getAddressFamily(address));
  }
  return (address) => address !== '' && list.check(address, getAddressFamily(address));
}

const getAddressFamily = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Parses an entry of `X-Forwarded-For`; undefined if it is no address, like `unknown`. Some proxies append a port. */
function tryParseForwardedAddress(entry: string): string | undefined {
  const text = entry.trim();
  const withoutPort = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  const address = withoutPort ?? text;
  return isIpAddress(address) ? normalizeAddress(address) : undefined;
}

/**
 * Returns the same text for each spelling of an address: an IPv4 client of a socket for both families arrives as
 * `::ffff:192.0.2.1`.
 */
function normalizeAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.toLowerCase();
}
