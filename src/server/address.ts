import { instanceHeader } from '../http/headers.ts';
import { isDottedQuad } from '../shared/settings/values.ts';
import { type PublishedAddress, publishedAddressOf } from './address-file.ts';

/** Timeout of a health check, in ms. */
const askMs = 2_000;

/**
 * Finds the service that uses the database file. Checks its name: after a kill, another service with other notes may
 * listen at the same address.
 */
export async function serviceAt(path: string): Promise<PublishedAddress | undefined> {
  const published = publishedAddressOf(path);
  if (published === undefined) return undefined;
  try {
    const answer = await fetch(`${published.url}/healthz`, { redirect: 'error', signal: AbortSignal.timeout(askMs) });
    return answer.headers.get(instanceHeader) === published.instance ? published : undefined;
  } catch {
    return undefined;
  }
}

/** The URL of a local service, by IP address: host names may not be allowed. */
export async function reachable(host: string, port: number): Promise<string> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (await addressOf(host));
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Resolves a host name; returns the name itself if that fails. */
export async function addressOf(host: string): Promise<string> {
  if (host.includes(':') || isDottedQuad(host)) return host;
  const { lookup } = await import('node:dns/promises');
  try {
    return (await lookup(host)).address;
  } catch {
    return host;
  }
}
