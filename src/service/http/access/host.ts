import { hostname } from 'node:os';
import { isDottedQuad } from '../../../core/tools/settings/values.ts';

/** Allowed `Host` headers, besides IP addresses and `localhost`. */
export interface HostRules {
  /** Lower-case names without ports; `*` for any. */
  readonly allowedHosts: readonly string[];
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** The names of this machine on its network, and the host the service listens at. */
export function ownHosts(listensAt: string, machine = hostname()): readonly string[] {
  const names = [listensAt, machine, ...(machine.includes('.') ? [] : [`${machine}.local`])];
  return names.map((name) => name.toLowerCase());
}

/** Checks `Host`, against DNS rebinding: a foreign web page whose name resolves to our address. */
export function createHostCheck({ allowedHosts }: HostRules): (host: string | null) => boolean {
  if (allowedHosts.includes('*')) return () => true;
  let last: string | null = null; // usually the same again
  return (host) => {
    if (host !== null && host === last) return true;
    const allowed = isAllowed(host ?? '', allowedHosts);
    if (allowed) last = host;
    return allowed;
  };
}

function isAllowed(host: string, allowedHosts: readonly string[]): boolean {
  const name = hostPattern.exec(host.toLowerCase())?.[1];
  if (name === undefined) return false;
  if (name.startsWith('[') || isDottedQuad(name)) return true;
  return name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name);
}
