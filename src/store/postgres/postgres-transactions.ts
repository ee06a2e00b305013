import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { singleFlight } from '../../shared/concurrency/single-flight.ts';
import type { Write } from '../engine.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { DatabaseError, failureOf } from './failure.ts';
import { isUsable, type SchemaState, schemaOf, selectSchema } from './migrate.ts';
import { isDistributed, type Placement } from './placement.ts';
import { selectPage } from './postgres-pages.ts';
import { decideWrites, idsOf, type Locked, lockFreeNotes, lockNotes } from './postgres-writes.ts';
import type { NoteRow } from './row.ts';

/** A database that is reachable and durable, and has our schema. */
export interface OpenDatabase {
  readonly connections: Connections;
  readonly placement: Placement;
  /** Whether changes are logged by transaction, with comparable transaction ids. */
  readonly hasLog: boolean;
  /** Number of schema steps that this program knows. */
  readonly knownSteps: number;
}

/** Timeout of a check, in ms. */
const checkMs = 1_200;

/**
 * Makes the commit wait for the disk even if the server does not await commits. Set per transaction, it works with
 * connection pools and after the setting was changed. Stronger settings are kept.
 */
export const awaitCommit = `CASE WHEN current_setting('synchronous_commit', true) = 'off'
  THEN set_config('synchronous_commit', 'on', true) END`;

/** How long a transaction waits for a locked note, in ms; it then fails with SQLSTATE 55P03. */
const begin = `BEGIN; SELECT ${awaitCommit}, set_config('lock_timeout', '500', true),
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now; ${selectSchema}`;

interface Begun {
  readonly now: number;
  /** The rows of each further statement. */
  readonly found: readonly (readonly NoteRow[])[];
}

/**
 * Begins a transaction that may write, and runs a further statement in the same message. Throws `unavailable` unless the
 * schema still admits this program and commits are durable.
 */
export async function beginWrite(connection: Connection, database: OpenDatabase, then = ''): Promise<Begun> {
  const [, [clock] = [], [state] = [], ...found] = await connection.results(`${begin}; ${then}`);
  const fault = faultOf(state as SchemaState | undefined, database);
  if (fault !== undefined) throw new NoteError('unavailable', message.storeRefused, { outcome: 'none', cause: fault });
  return { now: Number((clock as { now: string } | undefined)?.now), found: found as readonly (readonly NoteRow[])[] };
}

interface WriteRules {
  /** Overrides the clock of the database, in ms since 1970. */
  readonly now: number | undefined;
  readonly maxVersions: number;
  /** Whether not to wait for locked notes. */
  readonly skipsLocked: boolean;
}

/** The transaction had an error before anything was written in it. */
export class NothingWritten extends Error {
  override readonly name = 'NothingWritten';
}

/** Commits writes in one transaction. Throws errors of the database; `NothingWritten` if it failed before a write. */
export async function commitWrites(database: OpenDatabase, writes: readonly Write[], rules: WriteRules) {
  const connection = await database.connections.hold();
  try {
    const locked = await lockAll(connection, database, writes, rules);
    const { statements, outcomes } = decideWrites(writes, locked, rules.maxVersions);
    const results = await connection.results([...statements, 'COMMIT'].join('; '));
    connection.release();
    return outcomes((results.at(-2) ?? []) as readonly NoteRow[]);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

async function lockAll(connection: Connection, database: OpenDatabase, writes: readonly Write[], rules: WriteRules) {
  const ids = idsOf(writes);
  const lock = rules.skipsLocked ? lockFreeNotes(ids) : lockNotes(ids);
  try {
    const { now, found } = await beginWrite(connection, database, ids.length > 0 ? lock : '');
    const [rows = [], there = []] = found;
    const free = new Set(rows.map(({ id }) => id));
    const busy = new Set(there.flatMap(({ id }) => (free.has(id) ? [] : Number(id))));
    return { rows, busy, now: rules.now ?? now } satisfies Locked;
  } catch (error) {
    if (error instanceof NoteError || failureOf(error) !== 'lost') throw error;
    throw new NothingWritten('The connection broke before the write', { cause: error });
  }
}

/** Runs a statement in a transaction of its own. */
export async function writeOnce(database: OpenDatabase, statement: string): Promise<void> {
  const connection = await database.connections.hold();
  try {
    await beginWrite(connection, database);
    await connection.run(`${statement}; COMMIT`);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  connection.release();
}

/** Explains why a database must not be written to. */
function faultOf(state: SchemaState | undefined, { knownSteps, placement }: OpenDatabase): Error | undefined {
  if (!isUsable(state, knownSteps)) return new Error(message.schemaChanged(state?.version ?? 0));
  const fault = durabilityFault(state?.off, isDistributed(placement));
  return fault === undefined ? undefined : new Error(`The database cannot be trusted: ${fault}`);
}

/**
 * Explains why a server may lose commits, as the end of a sentence. `synchronous_commit` matters only if Citus commits
 * on other nodes, as writes set it themselves.
 */
export function durabilityFault(settingsOff: string | null | undefined, isCitus: boolean): string | undefined {
  const off = settingsOff?.split(' ').filter((name) => isCitus || name !== 'synchronous_commit') ?? [];
  return off.length === 0
    ? undefined
    : `it may lose notes in a crash: its setting ${off.join(', ')} is off. Turn it on`;
}

/** Proves that notes can be read and written. Throws `unavailable`, and errors of the database. */
export class Readiness {
  readonly #database: OpenDatabase;
  readonly #tried = singleFlight(() => tryAll(this.#database));

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  async check(): Promise<void> {
    const started = performance.now();
    const { connections } = this.#database;
    const state = await schemaOf(connections, checkMs);
    const fault = faultOf(state, this.#database)?.message ?? (state?.is_read_only ? message.storeReadOnly : undefined);
    if (fault !== undefined) throw new NoteError('unavailable', fault);
    await connections.inTime(this.#tried(), { ms: Math.max(1, checkMs - (performance.now() - started)) });
  }
}

/** Written to the WAL although it changes nothing, so it waits for the same standbys as a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommit}`;

/** Reads notes, inserts and changes one by the statements of writes, and rolls back. Notes never have negative ids. */
export async function tryAll(database: OpenDatabase): Promise<void> {
  const { connections, hasLog } = database;
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const connection = await connections.hold();
  try {
    const insert = `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
      VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`;
    const { found } = await beginWrite(connection, database, `${insert}; ${lockNotes([id])}`);
    const [, rows = []] = found;
    const { statements } = decideWrites([change], { rows, busy: new Set(), now: 0 }, 1);
    const reads = [selectPage({}, 0), 'SELECT 1 FROM group_labels LIMIT 1', 'SELECT 1 FROM note_origins LIMIT 1'];
    const log = hasLog ? ['SELECT ids FROM note_changes LIMIT 1', 'SELECT before FROM note_changes_pruned'] : [];
    await connection.run([...statements, ...reads, ...log, 'ROLLBACK'].join('; '));
    if (hasLog) await connection.run(emptyCommit);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  connection.release();
}

export const isLockTimeout = (error: unknown) => error instanceof DatabaseError && error.sqlState === '55P03';
