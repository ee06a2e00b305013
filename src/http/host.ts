/** Which `Host` headers are served. */
export interface HostRules {
  /** The address that the service is bound to; a name counts as loopback only if it is `localhost`. */
  readonly hostname: string;
  /** Names that are served in addition, in lower case, without port. */
  readonly allowedHosts: readonly string[];
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** The many spellings of an address come down to few: a URL knows one for each. */
function isLoopback(hostname: string): boolean {
  const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}`;
  const name = URL.canParse(url) ? new URL(url).hostname : hostname;
  return name === 'localhost' || name === '[::1]' || /^(127\.[\d.]+|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(name);
}

/**
 * A check that keeps foreign web pages out which give their own name our address (DNS rebinding). It is on while the
 * service is bound to a loopback address, or when allowed hosts are set.
 */
export function createHostCheck({ hostname, allowedHosts }: HostRules): (host: string | null) => boolean {
  if (!isLoopback(hostname) && allowedHosts.length === 0) return () => true;
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
