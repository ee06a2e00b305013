import type { Write } from '../../engine.ts';
import { keepChanged, trimVersions } from '../versions/versions.ts';
import { type Change, changesIn, changesText, isMeant, jsonLiteral, recordsOf } from '../writes.ts';

/**
 * Statements that keep what writes are about to replace, for the transaction of these writes. Citus takes no INSERT among
 * the parts of a statement, as PostgreSQL does. Notes come before their versions, as in a merge: no two wait for each other.
 */
export function keepFormer(writes: readonly Write[], max: number): readonly string[] {
  const changes = max > 0 ? writes.filter(changesText) : [];
  if (changes.length === 0) return [];
  const ids = changes.map(({ id }) => id);
  return [`SELECT 1 FROM notes WHERE id IN (${ids}) FOR UPDATE`, keepLocked(changes), trimVersions(ids, max)];
}

/** OFFSET has the notes locked before their texts are compared: what others write meanwhile is waited for. */
export function keepLocked(changes: readonly Change[]): string {
  const locked = `(SELECT * FROM notes WHERE id IN (${changes.map(({ id }) => id)}) OFFSET 0 FOR UPDATE) AS notes`;
  return keepChanged(locked, changesIn(jsonLiteral(recordsOf(changes))), isMeant);
}
