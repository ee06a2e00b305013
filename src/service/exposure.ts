import type { Config } from '../config.ts';

/** Whether only programs on this machine reach an IP address. */
const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address);

const howToSetToken = 'Set a token in the file ACCESS_TOKEN_FILE: docs/operations/access.md';

/** Says who has access to a service without tokens at an address besides the user; undefined if nobody does. */
export function findExposure(
  address: string,
  config: Pick<Config, 'accessTokens' | 'allowedHosts'>,
): string | undefined {
  if (config.accessTokens.length > 0) return undefined;
  const isAnyHostAllowed = config.allowedHosts.includes('*');
  const pages = 'any web page that they open, since ALLOWED_HOSTS is *,';
  if (!isLoopback(address)) {
    const who = `Everybody who reaches ${address}${isAnyHostAllowed ? `, and ${pages}` : ''}`;
    return `${who} can read and change all notes. ${howToSetToken}`;
  }
  if (!isAnyHostAllowed) return undefined;
  return `Any web page opened on this machine can read and change all notes, since ALLOWED_HOSTS is *. ${howToSetToken}`;
}
