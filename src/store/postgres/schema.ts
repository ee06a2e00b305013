import notes from './migrations/0001-notes.sql' with { type: 'text' };
import noteChanges from './migrations/0002-note-changes.sql' with { type: 'text' };
import noteVersions from './migrations/0003-note-versions.sql' with { type: 'text' };
import groupLabels from './migrations/0004-group-labels.sql' with { type: 'text' };
import noteOrigins from './migrations/0005-note-origins.sql' with { type: 'text' };

/** A step of the schema. */
export interface Step {
  readonly sql: string;
  /** How many steps a program must know at least to work on a database that has taken this one. */
  readonly worksFrom: number;
  /** Counted but not taken on engines that only speak PostgreSQL's protocol, as their snapshots have no names. */
  readonly needsSnapshots?: boolean;
}

/**
 * The steps from an empty database to the present schema; the table `notes_schema` counts those that were taken.
 * A step that has been released never changes. How a value of an enum is added: docs/architecture.md.
 */
export const migrations: readonly Step[] = [
  { sql: notes, worksFrom: 1 },
  {
    // Which notes each transaction has written, by whatever program: what kept lists have to take in. The functions run with
    // the rights of whoever calls them (anybody may, on a table of his own) and find our tables before temporary ones. The
    // triggers fire also for sessions that replay what happened elsewhere.
    sql: noteChanges,
    worksFrom: 1,
    needsSnapshots: true,
  },
  { sql: noteVersions, worksFrom: 1 },
  { sql: groupLabels, worksFrom: 1 },
  { sql: noteOrigins, worksFrom: 1 },
];
