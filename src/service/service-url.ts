import { looksLikeIpv4Address } from '../core/setting-values.ts';

/** Returns the URL of a local service by IP address, as host names may not be allowed. */
export async function resolveLocalServiceUrl(host: string, port: number): Promise<string> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (await resolveHostOrKeepName(host));
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Resolves a host name; returns the name itself if that fails. */
export async function resolveHostOrKeepName(host: string): Promise<string> {
  if (host.includes(':') || looksLikeIpv4Address(host)) return host;
  const { lookup } = await import('node:dns/promises');
  try {
    return (await lookup(host)).address;
  } catch {
    return host;
  }
}
