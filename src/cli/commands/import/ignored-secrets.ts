import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '../../../config/settings-table.ts';
import { findStatePath, replaceStateFile } from '../../state-file.ts';

/**
 * Adds hashes to those of suspicions that the user has dismissed: a line each in `ignored-secrets` of the state folder,
 * which a dry run does not change. Returns all of them. Throws errors of the file system.
 */
export async function saveAndReadIgnoredSecretHashes(
  env: Environment,
  added: readonly string[] = [],
  isDryRun = false,
): Promise<ReadonlySet<string>> {
  const path = findStatePath(env, 'ignored-secrets');
  const known = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const all = new Set([...known, ...added]);
  if (path !== undefined && !isDryRun && all.size > known.length)
    await replaceStateFile(path, `${[...all].join('\n')}\n`);
  return all;
}
