import notes from './migrations/0001-notes.sql' with { type: 'text' };
import indexByIdRange from './migrations/0002-index-by-id-range.sql' with { type: 'text' };
import noteVersions from './migrations/0003-note-versions.sql' with { type: 'text' };
import groupLabels from './migrations/0004-group-labels.sql' with { type: 'text' };
import noteOrigins from './migrations/0005-note-origins.sql' with { type: 'text' };
import versionChain from './migrations/0006-version-chain.sql' with { type: 'text' };
import endedSessions from './migrations/0007-ended-sessions.sql' with { type: 'text' };
import pins from './migrations/0008-pins.sql' with { type: 'text' };
import categoryLabels from './migrations/0009-category-labels.sql' with { type: 'text' };

/** Marks a database file as ours (`PRAGMA application_id`): "Note" in ASCII. */
export const applicationId = 0x4e6f7465;

/**
 * The steps from an empty file to the current schema; `PRAGMA user_version` counts those that were done. Released steps
 * never change. CONTRIBUTING.md describes how to add a value to an enum.
 *
 * The CHECKs of the enums are chains of `=` instead of `IN (…)`, because SQLite rebuilds that list for every row (2 of
 * 3.6 µs of an insert).
 */
export const migrations: readonly string[] = [
  notes,
  indexByIdRange,
  noteVersions,
  groupLabels,
  noteOrigins,
  versionChain,
  endedSessions,
  pins,
  categoryLabels,
];
