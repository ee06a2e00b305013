/** Parsers of settings. Each throws an error whose message says what the text must be. */

export function parseSettingByPattern(text: string, pattern: RegExp, expected: string): string {
  if (!pattern.test(text)) throw new Error(expected);
  return text;
}

/** `before` begins the message. */
export function parseInteger(text: string, min: number, max: number, before = ''): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) throw new Error(`${before}an integer from ${min} to ${max}`);
  return value;
}

/** `before` begins the message. */
export function parseChoice<Value extends string>(text: string, values: readonly Value[], before = ''): Value {
  const value = values.find((allowed) => allowed === text);
  if (value === undefined) throw new Error(`${before}one of ${values.join(', ')}`);
  return value;
}

export function parseListSetting(
  text: string,
  isValid: (item: string) => boolean,
  expected: string,
): readonly string[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (!items.every(isValid)) throw new Error(expected);
  return items;
}

/** Whether a text is an origin like `https://example.org`, or `*` for any. */
export const isOriginOrAny = (text: string): boolean =>
  text === '*' || (URL.canParse(text) && new URL(text).origin === text);

/** Whether a text is a host name without a port, in lower case, or `*` for any. */
export const isHostNameOrAny = (text: string): boolean => text === '*' || /^[a-z0-9._-]+$/.test(text);

/** Whether a text has the form of an IPv4 address. Not `isIP`: loading `node:net` takes a command 15 ms. */
export const looksLikeIpv4Address = (text: string): boolean => /^(\d{1,3}\.){3}\d{1,3}$/.test(text);

/** Whether a text is an IP address. */
export function isIpAddress(text: string): boolean {
  if (text.includes(':')) return /^[\da-f.:]+$/i.test(text) && URL.canParse(`http://[${text}]`);
  const url = looksLikeIpv4Address(text) ? URL.parse(`http://${text}`) : null;
  return url?.hostname === text; // not 010.0.0.1, whose first number is 8 for some programs
}

/** Whether a text is an IP address, or a network like `10.0.0.0/8`. */
export function isIpAddressOrNetwork(text: string): boolean {
  const [address = '', bits = '0', ...more] = text.split('/');
  const isInRange = /^\d{1,3}$/.test(bits) && Number(bits) <= (address.includes(':') ? 128 : 32);
  return isIpAddress(address) && isInRange && more.length === 0;
}

type Rights = 'full' | 'read';

export interface AccessToken {
  readonly name: string;
  readonly rights: Rights;
  readonly token: string;
}

const tokenLinePattern = /^(?:([\w-]{1,40})\s+(full|read)\s+)?([\x21-\x7e]{16,256})$/;

/** Parses one token, or one per line; `off` for none. Throws an error that completes "… must be". */
export function parseAccessTokensOrOff(text: string): readonly AccessToken[] {
  if (text === 'off') return [];
  const lines = text.split('\n').map((one) => one.trim());
  const tokens = lines.filter((one) => one !== '' && !one.startsWith('#')).map(parseAccessToken);
  const isDistinct =
    new Set(tokens.flatMap(({ name, token }) => [`name ${name}`, `token ${token}`])).size === 2 * tokens.length;
  if (tokens.length > 0 && isDistinct) return tokens;
  throw createTokenError();
}

function parseAccessToken(text: string): AccessToken {
  const [, name = 'owner', rights = 'full', token] = tokenLinePattern.exec(text) ?? [];
  if (token === undefined) throw createTokenError();
  return { name, rights: rights === 'read' ? 'read' : 'full', token };
}

const createTokenError = () =>
  new Error('a token of 16 to 256 visible ASCII characters, or lines like "<name> full|read <token>", or off');

/** Retention of backups: the newest one of each of so many days and weeks, within `maxBytes`. */
export interface BackupRetention {
  /** 1 or more. */
  readonly daily: number;
  readonly weekly: number;
  /** In total. */
  readonly maxBytes: number;
}

const unitBytes: Readonly<Record<string, number>> = { MiB: 2 ** 20, GiB: 2 ** 30 };

/** Throws an error that completes "… must be". */
export function parseBackupRetention(text: string): BackupRetention {
  const [, daily, weekly, size, unit = ''] = /^(\d{1,4})[ ,]+(\d{1,4})(?:[ ,]+(\d{1,6}) ?(MiB|GiB))?$/.exec(text) ?? [];
  const maxBytes = size === undefined ? Number.POSITIVE_INFINITY : Number(size) * (unitBytes[unit] ?? 1);
  if (Number(daily) >= 1) return { daily: Number(daily), weekly: Number(weekly), maxBytes };
  throw new Error('like 7,4 or 7,4,2GiB: at least one daily backup, weekly ones, and the largest size of all of them');
}
