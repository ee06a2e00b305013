import { hostname } from 'node:os';
import { looksLikeIpv4Address } from '../../../core/setting-values.ts';

/** The rules allow these `Host` headers besides IP addresses, `localhost` and names below it. */
export interface HostRules {
  /** Lower-case names without ports; `*` stands for any. */
  readonly allowedHosts: readonly string[];
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** Lists the names of this machine on its network, and the host at which the service listens. */
export function listServiceHostNames(listensAt: string, machine = hostname()): readonly string[] {
  const names = [listensAt, machine, ...(machine.includes('.') ? [] : [`${machine}.local`])];
  return names.map((name) => name.toLowerCase());
}

/** Creates a check of `Host` against DNS rebinding: a foreign web page whose name resolves to our address. */
export function createHostPredicate({ allowedHosts }: HostRules): (host: string | null) => boolean {
  if (allowedHosts.includes('*')) return () => true;
  let last: string | null = null; // usually the same again
  return (host) => {
    if (host !== null && host === last) return true;
    const allowed = isIpOrLocalOrAllowedHost(host ?? '', allowedHosts);
    if (allowed) last = host;
    return allowed;
  };
}

function isIpOrLocalOrAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = hostPattern.exec(host.toLowerCase())?.[1];
  if (name === undefined) return false;
  if (name.startsWith('[') || looksLikeIpv4Address(name)) return true;
  return name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name);
}

/**
 * Checks the origin of requests, whatever their method and type, against cross-site request forgery. Serves programs
 * other than browsers, which send neither origin nor site, and people who follow a link. `origins` are granted CORS;
 * `*` for any.
 */
export function createRequestOriginPredicate(origins: readonly string[]): (request: Request) => boolean {
  if (origins.includes('*')) return () => true;
  return ({ headers, method }) => {
    const origin = headers.get('origin');
    const site = headers.get('sec-fetch-site');
    if (origin !== null && origins.includes(origin)) return true;
    if (site === null) return origin === null || isOwnOrigin(origin, headers);
    if (site === 'same-origin' || site === 'none') return true;
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  };
}

/**
 * Is used for browsers that send no site, as over plain HTTP. A proxy may change `Host`; pages can forge neither
 * header.
 */
function isOwnOrigin(origin: string, headers: Headers): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === headers.get('host') || host === headers.get('x-forwarded-host');
}
