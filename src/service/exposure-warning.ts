import type { Config } from '../config/config.ts';

/** Says whether only programs on this machine reach an IP address. */
const isLoopbackIpAddress = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address);

const tokenAdvice = 'Set a token in the file ACCESS_TOKEN_FILE: docs/operations/access.md';

/** Says who has access to a service without tokens at an address besides the user; undefined if nobody does. */
export function formatExposureWarningIfAny(
  address: string,
  config: Pick<Config, 'accessTokens' | 'allowedHosts' | 'corsOrigins'>,
): string | undefined {
  if (config.accessTokens.length > 0) return undefined;
  const openSetting = findSettingOpenToAllSites(config);
  if (!isLoopbackIpAddress(address)) {
    const pages = openSetting === undefined ? '' : `, and any web page that they open, since ${openSetting} is *,`;
    return `Everybody who reaches ${address}${pages} can read and change all notes. ${tokenAdvice}`;
  }
  if (openSetting === undefined) return undefined;
  return `Any web page opened on this machine can read and change all notes, since ${openSetting} is *. ${tokenAdvice}`;
}

/** Finds the setting that lets pages of any site use the service; undefined if none does. */
function findSettingOpenToAllSites({ allowedHosts, corsOrigins }: Pick<Config, 'allowedHosts' | 'corsOrigins'>) {
  if (corsOrigins.includes('*')) return 'CORS_ORIGINS';
  return allowedHosts.includes('*') ? 'ALLOWED_HOSTS' : undefined;
}
