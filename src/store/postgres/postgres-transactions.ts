import { NoteError } from '../../core/error.ts';
import { singleFlight } from '../../core/tools/concurrency.ts';
import { type Create, newNote, type Write } from '../decide-write.ts';
import * as storeMessage from '../message.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { DatabaseError, failureOf, isReadOnly } from './failure.ts';
import { isUsable, type SchemaState, schemaOf, selectSchema } from './migrate.ts';
import { isDistributed, type Placement } from './placement.ts';
import { selectPage } from './postgres-pages.ts';
import { decideWrites, type Locked, lockFreeNotes, lockNotes, writtenIds } from './postgres-writes.ts';
import type { NoteRow } from './row.ts';

/** A database that is reachable and durable, and has our schema. */
export interface OpenDatabase {
  readonly connections: Connections;
  readonly placement: Placement;
  /** Whether changes are logged by transaction, with comparable transaction ids. */
  readonly hasLog: boolean;
  readonly knownSteps: number;
}

const checkMs = 1_200;

/**
 * Makes the commit wait for the disk even if the server does not await commits. Set per transaction, it works with
 * connection pools and after the setting was changed. Stronger settings are kept.
 */
export const awaitCommit = `CASE WHEN current_setting('synchronous_commit', true) = 'off'
  THEN set_config('synchronous_commit', 'on', true) END`;

const clock = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A locked note is waited for 500 ms; then the transaction fails with SQLSTATE 55P03. */
const begin = `BEGIN; SELECT ${awaitCommit}, set_config('lock_timeout', '500', true), ${clock} AS now`;

/** Begins a transaction that may write, and runs further statements in the same message. Returns the rows of each. */
async function beginWrite(connection: Connection, ...then: readonly string[]) {
  const [, [settings] = [], ...found] = await connection.results([begin, ...then].join('; '));
  return { now: Number((settings as { now: string }).now), found: found as readonly (readonly NoteRow[])[] };
}

interface WriteRules {
  /** Overrides the clock of the database, in ms since 1970. */
  readonly now: number | undefined;
  readonly maxVersions: number;
  readonly skipsLocked: boolean;
}

/** `$1`: the drafts, in order; `$2`: a time that overrides the clock, or null. */
const insertDrafts = `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  SELECT title, content, category, "group", color, now, now
  FROM (SELECT coalesce($2::bigint, ${clock}) AS now, ${awaitCommit}) AS at,
    json_to_recordset($1::text::json) AS draft(title text, content text, category text, "group" text, color text)
  RETURNING id, created_at`;

/** Creates notes by one statement, which is a transaction of its own. Their ids rise in the order of the drafts. */
export async function createNotes({ connections }: OpenDatabase, creates: readonly Create[], now: number | undefined) {
  const drafts = JSON.stringify(creates.map(({ draft }) => draft));
  const rows = await connections.rows<Pick<NoteRow, 'id' | 'created_at'>>(insertDrafts, [drafts, now ?? null]);
  rows.sort((a, b) => Number(a.id) - Number(b.id));
  return rows.flatMap(({ id, created_at: at }, index) => {
    const write = creates[index];
    return write === undefined ? [] : newNote(Number(id), write.draft, Number(at));
  });
}

/** Commits writes in one transaction. Throws errors of the database; `busy` if the connection broke before a write. */
export async function commitWrites({ connections }: OpenDatabase, writes: readonly Write[], rules: WriteRules) {
  const connection = await connections.hold();
  try {
    const locked = await lockAll(connection, writes, rules);
    const { statements, outcomes } = decideWrites(writes, locked, rules.maxVersions);
    const results = await connection.results([...statements, 'COMMIT'].join('; '));
    connection.release();
    return outcomes((results.at(-2) ?? []) as readonly NoteRow[]);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

async function lockAll(connection: Connection, writes: readonly Write[], rules: WriteRules): Promise<Locked> {
  const ids = writtenIds(writes);
  try {
    const { now, found } = await beginWrite(connection, rules.skipsLocked ? lockFreeNotes(ids) : lockNotes(ids));
    const [rows = [], there = []] = found;
    const free = new Set(rows.map(({ id }) => id));
    const busy = new Set(there.flatMap(({ id }) => (free.has(id) ? [] : Number(id))));
    return { rows, busy, now: rules.now ?? now };
  } catch (error) {
    if (failureOf(error) !== 'lost') throw error;
    throw new NoteError('busy', storeMessage.storeUnreachable, { outcome: 'none', cause: error });
  }
}

export async function writeOnce({ connections }: OpenDatabase, statement: string): Promise<void> {
  const connection = await connections.hold();
  try {
    await beginWrite(connection, statement, 'COMMIT');
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  connection.release();
}

function faultOf(state: SchemaState | undefined, { knownSteps, placement }: OpenDatabase): Error | undefined {
  if (!isUsable(state, knownSteps)) return new Error(storeMessage.schemaChanged(state?.version ?? 0));
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

/** For how long a permission to write counts, in ms. */
const seenMs = 1_000;

/** Proves that notes can be read and written. Throws `unavailable`, and errors of the database. */
export class Readiness {
  readonly #database: OpenDatabase;
  #allowedAt = Number.NEGATIVE_INFINITY;
  readonly #tried = singleFlight(() => tryOnWritable(this.#database));

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  async check(): Promise<void> {
    const started = performance.now();
    const { connections } = this.#database;
    const state = await schemaOf(connections, checkMs);
    const fault = faultOf(state, this.#database);
    if (fault !== undefined) throw new NoteError('unavailable', fault.message);
    await connections.inTime(this.#tried(), { ms: Math.max(1, checkMs - (performance.now() - started)) });
  }

  /** Checks before a write, once a second, that the schema still admits this program and that commits are durable. */
  async allowWrite(): Promise<void> {
    const now = performance.now();
    if (now - this.#allowedAt < seenMs) return;
    const [state] = await this.#database.connections.rows<SchemaState>(selectSchema);
    const cause = faultOf(state, this.#database);
    if (cause !== undefined) throw new NoteError('unavailable', storeMessage.storeRefused, { outcome: 'none', cause });
    this.#allowedAt = now;
  }
}

/** Written to the WAL although it changes nothing, so it waits for the same standbys as a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommit}`;

/** Tries again if only the connection was read-only: `Connections` replaces those when new ones may write. */
async function tryOnWritable(database: OpenDatabase): Promise<void> {
  try {
    await tryAll(database);
  } catch (error) {
    if (!isReadOnly(error) || !(await database.connections.replaceReadOnly())) throw error;
    await tryAll(database);
  }
}

/** Reads notes, inserts and changes one by the statements of writes, and rolls back. Notes never have negative ids. */
async function tryAll(database: OpenDatabase): Promise<void> {
  const { connections, hasLog } = database;
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const connection = await connections.hold();
  try {
    const insert = `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
      VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`;
    const { found } = await beginWrite(connection, insert, lockNotes([id]));
    const [, rows = []] = found;
    const { statements } = decideWrites([change], { rows, busy: new Set(), now: 0 }, 1);
    const others = ['group_labels', 'note_origins', 'ended_sessions'].map((table) => `SELECT 1 FROM ${table} LIMIT 1`);
    const reads = [selectPage({}, 0), ...others];
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

export const isTimeout = (error: unknown) => error instanceof DatabaseError && error.sqlState === '57014';
