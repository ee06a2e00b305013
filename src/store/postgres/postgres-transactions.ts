import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { CreateWrite, Write, WriteResult } from '../decide-write.ts';
import { columnListSql } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import type { Placement } from './citus-placement.ts';
import { type Connection, type ConnectionPool, rollBackAndRelease } from './connection-pool.ts';
import { classifyError } from './postgres-errors.ts';
import {
  createNotesFromDrafts,
  decideWritesAndPlanStatements,
  draftColumns,
  type LockedNotes,
  listChangedIds,
  lockNotesSkippingLockedSql,
  lockNotesSql,
  selectExistingIdsSql,
} from './postgres-note-writes.ts';
import { columnDefinitionsSql, insertNoteValuesSql, type PostgresNoteRow } from './recordset.ts';

/** A database that is reachable and durable, and has our schema. */
export interface OpenPostgresDatabase {
  readonly connections: ConnectionPool;
  readonly placement: Placement;
  /** Whether changes are logged by transaction, with comparable transaction ids. */
  readonly hasChangeLog: boolean;
  readonly knownSteps: number;
}

/**
 * Makes the commit wait for the disk even if the server does not await commits. Set per transaction, it works with
 * connection pools and after the setting was changed. Stronger settings are not changed.
 */
export const awaitCommitSql = `CASE WHEN current_setting('synchronous_commit', true) = 'off'
  THEN set_config('synchronous_commit', 'on', true) END`;

/** The clock of the database in ms since 1970. */
export const clockSql = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** If a note is locked for longer than 500 ms, the transaction fails with SQLSTATE 55P03. */
const beginSql = `BEGIN; SELECT ${awaitCommitSql}, set_config('lock_timeout', '500', true), ${clockSql} AS now`;

/** Begins a transaction that may write, and runs further statements in the same message. Returns the rows of each. */
export async function beginAndQueryEach(connection: Connection, ...further: readonly string[]) {
  const [, [settings] = [], ...found] = await connection.queryEach([beginSql, ...further].join('; '));
  return { now: Number((settings as { now: string }).now), found: found as readonly (readonly PostgresNoteRow[])[] };
}

interface BatchSettings {
  /** Overrides the clock of the database, in ms since 1970. */
  readonly now: number | undefined;
  readonly maxVersions: number;
  /** Whether notes that another transaction has locked are `busy` at once, instead of being waited for. */
  readonly skipsLocked: boolean;
}

const draftColumnsSql = columnListSql(draftColumns);

/** `$1`: the drafts, in order; `$2`: a time that overrides the clock, or null. */
const insertAndCommitDraftsSql = `INSERT INTO notes (${draftColumnsSql}, created_at, updated_at)
  SELECT ${draftColumnsSql}, now, now
  FROM (SELECT coalesce($2::bigint, ${clockSql}) AS now, ${awaitCommitSql}) AS at,
    json_to_recordset($1::text::json) AS draft(${columnDefinitionsSql(draftColumns)})
  RETURNING id, created_at`;

/** Creates notes by one statement, which is a transaction of its own. Their ids rise in the order of the drafts. */
export async function insertAndCommitNotes(
  { connections }: OpenPostgresDatabase,
  creates: readonly CreateWrite[],
  now: number | undefined,
): Promise<readonly WriteResult[]> {
  const drafts = JSON.stringify(creates.map(({ draft }) => draft));
  const rows = await connections.query<Pick<PostgresNoteRow, 'id' | 'created_at'>>(insertAndCommitDraftsSql, [
    drafts,
    now ?? null,
  ]);
  return createNotesFromDrafts(creates, rows, Number(rows[0]?.created_at));
}

/** Creates notes under ids that are assigned already, by one statement, which is a transaction of its own. */
export async function insertAndCommitNotesWithIds(
  { connections }: OpenPostgresDatabase,
  notes: readonly Note[],
): Promise<void> {
  const connection = await connections.reserve();
  try {
    await connection.query(insertNoteValuesSql(notes));
  } finally {
    connection.release();
  }
}

/** Commits writes in one transaction. Throws errors of the database; `busy` if the connection broke before a write. */
export async function commitWritesInTransaction(
  { connections }: OpenPostgresDatabase,
  writes: readonly Write[],
  settings: BatchSettings,
): Promise<readonly WriteResult[]> {
  const connection = await connections.reserve();
  try {
    const locked = await beginAndLockChangedNotes(connection, writes, settings);
    const { statements, insertIndex, toWriteResults } = decideWritesAndPlanStatements(
      writes,
      locked,
      settings.maxVersions,
    );
    const results = await connection.queryEach([...statements, 'COMMIT'].join('; '));
    connection.release();
    return toWriteResults(insertIndex === undefined ? [] : (results[insertIndex] as readonly PostgresNoteRow[]));
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
}

/** Begins the transaction, and reads and locks the notes that the writes change. */
async function beginAndLockChangedNotes(
  connection: Connection,
  writes: readonly Write[],
  settings: BatchSettings,
): Promise<LockedNotes> {
  const ids = listChangedIds(writes);
  try {
    const { now, found } = await beginAndQueryEach(
      connection,
      ...(settings.skipsLocked ? [lockNotesSkippingLockedSql(ids), selectExistingIdsSql(ids)] : [lockNotesSql(ids)]),
    );
    const [rows = [], existing = []] = found;
    const lockedIds = new Set(rows.map(({ id }) => id));
    const busy = new Set(existing.flatMap(({ id }) => (lockedIds.has(id) ? [] : Number(id))));
    return { rows, busy, now: settings.now ?? now };
  } catch (error) {
    if (classifyError(error) !== 'uncertain') throw error;
    throw new NoteError('busy', storeMessage.storeUnreachable, { outcome: 'none', cause: error });
  }
}

/**
 * Runs one or more statements in a transaction. Resolves when it is durable, with the number of rows that the first
 * statement returned.
 */
export async function executeInTransaction({ connections }: OpenPostgresDatabase, statement: string): Promise<number> {
  const connection = await connections.reserve();
  try {
    const { found } = await beginAndQueryEach(connection, statement, 'COMMIT');
    connection.release();
    return found[0]?.length ?? 0;
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
}
