import { instanceHeader } from '../http/headers.ts';
import { addressLeftAt, type LeftAddress } from './address-file.ts';

/** How long a service may take to say its name, in ms. */
const askMs = 2_000;

/**
 * Where the service is that uses the database file. What was left by a service that was killed is not
 * believed: another one may listen there by now, with other notes.
 */
export async function serviceAt(path: string): Promise<LeftAddress | undefined> {
  const left = addressLeftAt(path);
  if (left === undefined) return undefined;
  try {
    const answer = await fetch(`${left.url}/healthz`, { redirect: 'error', signal: AbortSignal.timeout(askMs) });
    return answer.headers.get(instanceHeader) === left.instance ? left : undefined;
  } catch {
    return undefined;
  }
}

/** The URL of a service at `host` and `port` from its own machine, by IP address: names may be refused. */
export async function reachable(host: string, port: number): Promise<string> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (await addressOf(host));
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** What a host name stands for on this machine; the name itself when it stands for nothing. */
export async function addressOf(host: string): Promise<string> {
  const { lookup } = await import('node:dns/promises');
  try {
    return (await lookup(host)).address;
  } catch {
    return host;
  }
}
