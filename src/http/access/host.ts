import { hostname } from 'node:os';

/** Which `Host` headers are served besides IP addresses and `localhost`. */
export interface HostRules {
  /** Names in lower case, without port; `*` for any. */
  readonly allowedHosts: readonly string[];
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** What others on its network call this machine, and by which name the service was told to listen. */
export function ownHosts(listensAt: string, machine = hostname()): readonly string[] {
  const names = [listensAt, machine, ...(machine.includes('.') ? [] : [`${machine}.local`])];
  return names.map((name) => name.toLowerCase());
}

/** A check that keeps foreign web pages out which give their own name our address (DNS rebinding). */
export function createHostCheck({ allowedHosts }: HostRules): (host: string | null) => boolean {
  if (allowedHosts.includes('*')) return () => true;
  let last: string | null = null; // clients repeat themselves
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
  if (name.startsWith('[') || ipv4.test(name)) return true;
  return name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name);
}
