import { ConfigError } from '../../config/config.ts';
import { tryReadSecretFileWithWarning } from '../../config/secret-file.ts';
import type { Environment } from '../../config/settings-table.ts';
import type { Warn } from './store-location.ts';

/**
 * Reads the token for a service from NOTES_TOKEN, or from the file that NOTES_TOKEN_FILE names. Throws `ConfigError`.
 * There is no flag for it, because every user can see flags in the list of processes.
 */
export function readServiceTokenIfSet(
  { NOTES_TOKEN: text, NOTES_TOKEN_FILE: file }: Environment,
  warn: Warn,
): string | undefined {
  if (text && file) throw new ConfigError('NOTES_TOKEN and NOTES_TOKEN_FILE must not both be set');
  const token = file ? readTokenFile(file, warn) : text;
  if (!token && !file) return undefined;
  if (token && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(`${file ? 'The text in NOTES_TOKEN_FILE' : 'NOTES_TOKEN'} must be a token without blanks`);
}

function readTokenFile(file: string, warn: Warn): string {
  const secret = tryReadSecretFileWithWarning(file, 'NOTES_TOKEN_FILE');
  if (secret === undefined) throw new ConfigError(`NOTES_TOKEN_FILE must be a readable file, not "${file}"`);
  if (secret.warning !== undefined) warn(secret.warning);
  return secret.text.trim();
}
