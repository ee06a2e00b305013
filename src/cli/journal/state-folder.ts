import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../config.ts';

/** Where commands keep a person's state, after the XDG base directory specification; undefined where nothing names a folder. */
export function stateFolder(env: Environment, name: string): string | undefined {
  const given = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'notes', name);
  const home = env['HOME'] ?? '';
  const isThere = statSync(home, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? join(home, '.local', 'state', 'notes', name) : undefined;
}
