import { singleFlight } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import { type CreateWrite, createNoteFromDraft, type Write, type WriteOutcome } from '../decide-write.ts';
import { columnListSql } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import { isDistributed, type Placement } from './citus-placement.ts';
import { type Connection, type ConnectionPool, rollBackAndRelease } from './connection-pool.ts';
import { isSchemaUsable, readSchemaState, type SchemaState, selectSchemaStateSql } from './migrate-postgres.ts';
import { classifyError, DatabaseError, isReadOnlyError } from './postgres-errors.ts';
import { selectPageSql } from './postgres-snapshots.ts';
import {
  draftColumns,
  type LockedNotes,
  listChangedIds,
  lockFreeNotesSql,
  lockNotesSql,
  planBatch,
} from './postgres-writes.ts';
import { columnDefinitionsSql, type NoteRow } from './recordset.ts';

/** A database that is reachable and durable, and has our schema. */
export interface OpenPostgresDatabase {
  readonly connections: ConnectionPool;
  readonly placement: Placement;
  /** Whether changes are logged by transaction, with comparable transaction ids. */
  readonly hasChangeLog: boolean;
  readonly knownSteps: number;
}

const checkMs = 1_200;

/**
 * Makes the commit wait for the disk even if the server does not await commits. Set per transaction, it works with
 * connection pools and after the setting was changed. Stronger settings are kept.
 */
export const awaitCommitSql = `CASE WHEN current_setting('synchronous_commit', true) = 'off'
  THEN set_config('synchronous_commit', 'on', true) END`;

const clockSql = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A locked note is waited for 500 ms; then the transaction fails with SQLSTATE 55P03. */
const beginSql = `BEGIN; SELECT ${awaitCommitSql}, set_config('lock_timeout', '500', true), ${clockSql} AS now`;

/** Begins a transaction that may write, and runs further statements in the same message. Returns the rows of each. */
async function beginAndQuery(connection: Connection, ...further: readonly string[]) {
  const [, [settings] = [], ...found] = await connection.queryEach([beginSql, ...further].join('; '));
  return { now: Number((settings as { now: string }).now), found: found as readonly (readonly NoteRow[])[] };
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
const insertDraftsSql = `INSERT INTO notes (${draftColumnsSql}, created_at, updated_at)
  SELECT ${draftColumnsSql}, now, now
  FROM (SELECT coalesce($2::bigint, ${clockSql}) AS now, ${awaitCommitSql}) AS at,
    json_to_recordset($1::text::json) AS draft(${columnDefinitionsSql(draftColumns)})
  RETURNING id, created_at`;

/** Creates notes by one statement, which is a transaction of its own. Their ids rise in the order of the drafts. */
export async function createNotes(
  { connections }: OpenPostgresDatabase,
  creates: readonly CreateWrite[],
  now: number | undefined,
): Promise<readonly WriteOutcome[]> {
  const drafts = JSON.stringify(creates.map(({ draft }) => draft));
  const rows = await connections.query<Pick<NoteRow, 'id' | 'created_at'>>(insertDraftsSql, [drafts, now ?? null]);
  rows.sort((a, b) => Number(a.id) - Number(b.id));
  return rows.flatMap(({ id, created_at }, index) => {
    const write = creates[index];
    return write === undefined ? [] : createNoteFromDraft(Number(id), write.draft, Number(created_at));
  });
}

/** Commits writes in one transaction. Throws errors of the database; `busy` if the connection broke before a write. */
export async function commitWrites(
  { connections }: OpenPostgresDatabase,
  writes: readonly Write[],
  settings: BatchSettings,
): Promise<readonly WriteOutcome[]> {
  const connection = await connections.reserve();
  try {
    const locked = await beginAndLockNotes(connection, writes, settings);
    const { statements, insertIndex, toOutcomes } = planBatch(writes, locked, settings.maxVersions);
    const results = await connection.queryEach([...statements, 'COMMIT'].join('; '));
    connection.release();
    return toOutcomes(insertIndex === undefined ? [] : (results[insertIndex] as readonly NoteRow[]));
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
}

/** Begins the transaction, and reads and locks the notes that the writes change. */
async function beginAndLockNotes(
  connection: Connection,
  writes: readonly Write[],
  settings: BatchSettings,
): Promise<LockedNotes> {
  const ids = listChangedIds(writes);
  try {
    const { now, found } = await beginAndQuery(
      connection,
      settings.skipsLocked ? lockFreeNotesSql(ids) : lockNotesSql(ids),
    );
    const [rows = [], existing = []] = found;
    const lockedIds = new Set(rows.map(({ id }) => id));
    const busy = new Set(existing.flatMap(({ id }) => (lockedIds.has(id) ? [] : Number(id))));
    return { rows, busy, now: settings.now ?? now };
  } catch (error) {
    if (classifyError(error) !== 'lost') throw error;
    throw new NoteError('busy', storeMessage.storeUnreachable, { outcome: 'none', cause: error });
  }
}

/** Runs statements in a transaction that is durable. */
export async function commitStatement({ connections }: OpenPostgresDatabase, statement: string): Promise<void> {
  const connection = await connections.reserve();
  try {
    await beginAndQuery(connection, statement, 'COMMIT');
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
  connection.release();
}

function findSchemaOrDurabilityFault(
  state: SchemaState | undefined,
  { knownSteps, placement }: OpenPostgresDatabase,
): Error | undefined {
  if (!isSchemaUsable(state, knownSteps)) return new Error(storeMessage.schemaChanged(state?.version ?? 0));
  const fault = findDurabilityFault(state?.off, isDistributed(placement));
  return fault === undefined ? undefined : new Error(`The database cannot be trusted: ${fault}`);
}

/**
 * Explains why a server may lose commits, as the end of a sentence. `synchronous_commit` matters only if Citus commits
 * on other nodes, as writes set it themselves.
 */
export function findDurabilityFault(unsafeSettings: string | null | undefined, isCitus: boolean): string | undefined {
  const off = unsafeSettings?.split(' ').filter((name) => isCitus || name !== 'synchronous_commit') ?? [];
  return off.length === 0
    ? undefined
    : `it may lose notes in a crash: its setting ${off.join(', ')} is off. Turn it on`;
}

/** For how long a permission to write counts, in ms. */
const seenMs = 1_000;

/** Proves that notes can be read and written. Throws `unavailable`, and errors of the database. */
export class Readiness {
  readonly #database: OpenPostgresDatabase;
  #provenAt = Number.NEGATIVE_INFINITY;
  readonly #tried = singleFlight(() => tryOnWritableConnection(this.#database));

  constructor(database: OpenPostgresDatabase) {
    this.#database = database;
  }

  async tryReadsAndWrites(): Promise<void> {
    const started = performance.now();
    const { connections } = this.#database;
    const state = await readSchemaState(connections, checkMs);
    const fault = findSchemaOrDurabilityFault(state, this.#database);
    if (fault !== undefined) throw new NoteError('unavailable', fault.message);
    await connections.limitWait(this.#tried(), { ms: Math.max(1, checkMs - (performance.now() - started)) });
  }

  /** Checks before a write, once a second, that the schema still admits this program and that commits are durable. */
  async assertWritable(): Promise<void> {
    const now = performance.now();
    if (now - this.#provenAt < seenMs) return;
    const [state] = await this.#database.connections.query<SchemaState>(selectSchemaStateSql);
    const cause = findSchemaOrDurabilityFault(state, this.#database);
    if (cause !== undefined)
      throw new NoteError('unavailable', storeMessage.statementRejected, { outcome: 'none', cause });
    this.#provenAt = now;
  }
}

/** Written to the WAL although it changes nothing, so it waits for the same standbys as a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommitSql}`;

/** Tries again if only the connection was read-only: `ConnectionPool` replaces those when new ones may write. */
async function tryOnWritableConnection(database: OpenPostgresDatabase): Promise<void> {
  try {
    await tryAllStatements(database);
  } catch (error) {
    if (!isReadOnlyError(error) || !(await database.connections.replaceReadOnlyConnections())) throw error;
    await tryAllStatements(database);
  }
}

/** Reads notes, inserts and changes one by the statements of writes, and rolls back. Notes never have negative ids. */
async function tryAllStatements(database: OpenPostgresDatabase): Promise<void> {
  const { connections, hasChangeLog } = database;
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const connection = await connections.reserve();
  try {
    const insert = `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
      VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`;
    const { found } = await beginAndQuery(connection, insert, lockNotesSql([id]));
    const [, rows = []] = found;
    const { statements } = planBatch([change], { rows, busy: new Set(), now: 0 }, 1);
    const others = ['group_labels', 'note_origins', 'ended_sessions'].map((table) => `SELECT 1 FROM ${table} LIMIT 1`);
    const reads = [selectPageSql({}, 0), ...others];
    const log = hasChangeLog ? ['SELECT ids FROM note_changes LIMIT 1', 'SELECT before FROM note_changes_pruned'] : [];
    await connection.query([...statements, ...reads, ...log, 'ROLLBACK'].join('; '));
    if (hasChangeLog) await connection.query(emptyCommit);
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
  connection.release();
}

export const isLockTimeoutError = (error: unknown) => error instanceof DatabaseError && error.sqlState === '55P03';

export const isStatementTimeoutError = (error: unknown) => error instanceof DatabaseError && error.sqlState === '57014';
