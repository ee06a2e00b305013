import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError, type Environment } from '../../config.ts';

/**
 * Reads the token for a service from NOTES_TOKEN, or from a file that only its owner can read. Throws `ConfigError`.
 * There is no flag for it, because every user can see flags in the list of processes.
 */
export function serviceToken({ NOTES_TOKEN: given, NOTES_TOKEN_FILE: file }: Environment): string | undefined {
  if (given && file) throw new ConfigError('NOTES_TOKEN and NOTES_TOKEN_FILE must not both be set');
  const token = file ? ownText(file).trim() : given;
  if (!token && !file) return undefined;
  if (token && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(`${file ? 'The text in NOTES_TOKEN_FILE' : 'NOTES_TOKEN'} must be a token without blanks`);
}

function ownText(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    throw new ConfigError(`NOTES_TOKEN_FILE must be a readable file, not "${file}"`);
  }
  try {
    const { mode, uid } = fstatSync(fd);
    const own = process.getuid?.();
    if (own === undefined) return readFileSync(fd, 'utf8'); // Windows
    if ((mode & 0o077) !== 0) throw new ConfigError(`Others may read ${file} (NOTES_TOKEN_FILE). Run chmod 600 on it`);
    if (uid !== own) throw new ConfigError(`${file} (NOTES_TOKEN_FILE) belongs to another user`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
