import notes from './migrations/0001-notes.sql' with { type: 'text' };
import noteChanges from './migrations/0002-note-changes.sql' with { type: 'text' };
import noteVersions from './migrations/0003-note-versions.sql' with { type: 'text' };
import groupLabels from './migrations/0004-group-labels.sql' with { type: 'text' };
import noteOrigins from './migrations/0005-note-origins.sql' with { type: 'text' };
import endedSessions from './migrations/0006-ended-sessions.sql' with { type: 'text' };
import pins from './migrations/0007-pins.sql' with { type: 'text' };
import categoryLabels from './migrations/0008-category-labels.sql' with { type: 'text' };
import distributedChanges from './migrations/0009-distributed-changes.sql' with { type: 'text' };
import writeOnNode from './migrations/0010-write-on-node.sql' with { type: 'text' };
import loggedTimes from './migrations/0011-logged-times.sql' with { type: 'text' };

export interface Step {
  readonly sql: string;
  /** Number of steps that a program must at least know to use a database with this step. */
  readonly worksFrom: number;
  /** Counted but skipped on other engines with PostgreSQL's protocol, as their snapshots cannot be identified. */
  readonly needsSnapshots?: boolean;
  /**
   * What the step creates, as SQL that is true once it exists. Such a step is counted but skipped where Citus does not
   * distribute the notes. It runs when they are distributed, and only then `worksFrom` counts.
   */
  readonly existsWhereDistributedSql?: string;
}

/**
 * The steps from an empty database to the current schema; `notes_schema` counts those taken. Released steps never
 * change. CONTRIBUTING.md describes how to add a value to an enum.
 */
export const migrations: readonly Step[] = [
  { sql: notes, worksFrom: 1 },
  {
    // Logs the notes written by each transaction of any program, for cached lists to follow. The functions run with the
    // rights of their caller (anyone may call them on a table of their own) and find our tables before temporary ones.
    // The triggers also fire in replication sessions.
    sql: noteChanges,
    worksFrom: 1,
    needsSnapshots: true,
  },
  { sql: noteVersions, worksFrom: 1 },
  { sql: groupLabels, worksFrom: 1 },
  { sql: noteOrigins, worksFrom: 1 },
  { sql: endedSessions, worksFrom: 1 },
  { sql: pins, worksFrom: 1 },
  { sql: categoryLabels, worksFrom: 1 },
  // Programs that do not log what they write must not write any more: others would show outdated lists.
  {
    sql: distributedChanges,
    worksFrom: 9,
    existsWhereDistributedSql: "to_regclass('distributed_changes') IS NOT NULL",
  },
  { sql: writeOnNode, worksFrom: 9, existsWhereDistributedSql: "to_regproc('write_on_node') IS NOT NULL" },
  {
    sql: loggedTimes,
    worksFrom: 9,
    existsWhereDistributedSql: `EXISTS (SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('distributed_changes') AND attname = 'updated_ats')`,
  },
];
