import { singleFlight } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as storeMessage from '../store-messages.ts';
import { isPlacementDistributed } from './citus-placement.ts';
import { rollBackAndRelease } from './connection-pool.ts';
import {
  isSchemaUsable,
  readSchemaStateIfPresent,
  type SchemaState,
  selectSchemaStateSql,
} from './migrate-postgres.ts';
import { isReadOnlyError } from './postgres-errors.ts';
import { decideWritesAndPlanStatements, lockNotesSql } from './postgres-note-writes.ts';
import { selectPageSql } from './postgres-snapshots.ts';
import { awaitCommitSql, beginAndQueryEach, type OpenPostgresDatabase } from './postgres-transactions.ts';

/** How long a trial of reads and writes may take, in ms. */
const trialMs = 1_200;

/** For how long a successful check before a write is valid, in ms. */
const validMs = 1_000;

/** Checks that notes can be read and written. Throws `unavailable`, and errors of the database. */
export class ReadinessChecker {
  readonly #database: OpenPostgresDatabase;
  #assertedAt = Number.NEGATIVE_INFINITY;
  /** Calls at the same time share one trial. */
  readonly #trySharedStatements = singleFlight(() => probeReadsAndWritesWithRetry(this.#database));

  constructor(database: OpenPostgresDatabase) {
    this.#database = database;
  }

  /** Checks the schema and the settings, and tries what reads and writes do. */
  async assertReadableAndWritable(): Promise<void> {
    const started = performance.now();
    const { connections } = this.#database;
    const state = await readSchemaStateIfPresent(connections, trialMs);
    const fault = findSchemaStateError(state, this.#database);
    if (fault !== undefined) throw new NoteError('unavailable', fault.message);
    await connections.limitWait(this.#trySharedStatements(), {
      ms: Math.max(1, trialMs - (performance.now() - started)),
    });
  }

  /** Checks before a write that the schema still suits this program and that commits are durable, once a second. */
  async assertSchemaStateOncePerSecond(): Promise<void> {
    const now = performance.now();
    if (now - this.#assertedAt < validMs) return;
    const [state] = await this.#database.connections.query<SchemaState>(selectSchemaStateSql);
    const cause = findSchemaStateError(state, this.#database);
    if (cause !== undefined)
      throw new NoteError('unavailable', storeMessage.statementRejected, { outcome: 'none', cause });
    this.#assertedAt = now;
  }
}

function findSchemaStateError(
  state: SchemaState | undefined,
  { knownSteps, placement }: OpenPostgresDatabase,
): Error | undefined {
  if (!isSchemaUsable(state, knownSteps)) return new Error(storeMessage.schemaChanged(state?.version ?? 0));
  const fault = findDurabilityProblem(state?.off, isPlacementDistributed(placement));
  return fault === undefined ? undefined : new Error(`The database cannot be trusted: ${fault}`);
}

/**
 * Explains why a server may lose commits, as the end of a sentence. `synchronous_commit` matters only if Citus commits
 * on other nodes, as writes set it themselves.
 */
export function findDurabilityProblem(unsafeSettings: string | null | undefined, isCitus: boolean): string | undefined {
  const off = unsafeSettings?.split(' ').filter((name) => isCitus || name !== 'synchronous_commit') ?? [];
  return off.length === 0
    ? undefined
    : `it may lose notes in a crash: its setting ${off.join(', ')} is off. Turn it on`;
}

/**
 * Commits a message that changes nothing. It is written to the WAL, and so it waits for the same standbys as a write.
 */
const commitMessageSql = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommitSql}`;

const listLogReadsSql = (isDistributed: boolean): readonly string[] =>
  isDistributed
    ? ['SELECT ids FROM distributed_changes LIMIT 1', 'SELECT before FROM distributed_changes_pruned']
    : ['SELECT ids FROM note_changes LIMIT 1', 'SELECT before FROM note_changes_pruned'];

/** Tries a second time if only the connection was read-only, and not the database: the pool has replaced it then. */
async function probeReadsAndWritesWithRetry(database: OpenPostgresDatabase): Promise<void> {
  try {
    await tryReadsAndWritesOnce(database);
  } catch (error) {
    if (!isReadOnlyError(error) || !(await database.connections.replaceConnectionsIfWritable())) throw error;
    await tryReadsAndWritesOnce(database);
  }
}

/**
 * Reads notes, inserts one and changes it by the statements of writes, and rolls that back. The note has a negative id,
 * which no other note has.
 */
async function tryReadsAndWritesOnce(database: OpenPostgresDatabase): Promise<void> {
  const { connections, hasChangeLog, placement } = database;
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const connection = await connections.reserve();
  try {
    const insert = `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
      VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`;
    const { found } = await beginAndQueryEach(connection, insert, lockNotesSql([id]));
    const [, rows = []] = found;
    const { statements } = decideWritesAndPlanStatements([change], { rows, busy: new Set(), now: 0 }, 1);
    const others = ['group_labels', 'category_labels', 'note_origins', 'ended_sessions', 'pins'].map(
      (table) => `SELECT 1 FROM ${table} LIMIT 1`,
    );
    const reads = [selectPageSql({}, 0), ...others];
    const log = hasChangeLog ? listLogReadsSql(isPlacementDistributed(placement)) : [];
    await connection.query([...statements, ...reads, ...log, 'ROLLBACK'].join('; '));
    if (hasChangeLog) await connection.query(commitMessageSql);
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
  connection.release();
}
