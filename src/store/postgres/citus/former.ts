import type { Change, Write } from '../../engine.ts';
import { keepChanged, trimVersions } from '../statements/versions.ts';
import { changesIn, changesText, jsonLiteral, matchesChange, recordsOf } from '../statements/writes.ts';

/**
 * Statements that keep the versions that writes are about to replace, in the same transaction. Citus supports no INSERT
 * in a CTE. Locks notes before their versions, as a merge does, to avoid deadlocks.
 */
export function keepFormer(writes: readonly Write[], max: number): readonly string[] {
  const changes = max > 0 ? writes.filter(changesText) : [];
  if (changes.length === 0) return [];
  const ids = changes.map(({ id }) => id);
  return [`SELECT 1 FROM notes WHERE id IN (${ids}) FOR UPDATE`, keepLocked(changes), trimVersions(ids, max)];
}

/** OFFSET makes the lock precede the comparison of texts, so that concurrent writes are waited for. */
export function keepLocked(changes: readonly Change[]): string {
  const locked = `(SELECT * FROM notes WHERE id IN (${changes.map(({ id }) => id)}) OFFSET 0 FOR UPDATE) AS notes`;
  return keepChanged(locked, changesIn(jsonLiteral(recordsOf(changes))), matchesChange);
}
