import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { singleFlight } from '../../shared/concurrency/single-flight.ts';
import { keepFormer } from './citus/former.ts';
import { type Connections, rollBack } from './connections.ts';
import { selectFor } from './lists/snapshot.ts';
import { isUsable, type SchemaState, schemaOf, selectSchema } from './migrate.ts';
import { isDistributed, type Placement } from './placement.ts';
import { awaitCommit, batchOf, inlined } from './statements/writes.ts';

/** A database that is reachable and durable, and has our schema. */
export interface OpenDatabase {
  readonly connections: Connections;
  readonly placement: Placement;
  /** Whether changes are logged by transaction, with comparable transaction ids. */
  readonly hasLog: boolean;
}

/** Timeout of a check, in ms. */
const checkMs = 1_200;

/** For how long a permission to write counts, in ms. */
const seenMs = 1_000;

/**
 * Proves that notes can be read and written, by the statements of reads and writes on the real tables: inserts and
 * changes a note and rolls back.
 */
export class Readiness {
  readonly #database: OpenDatabase;
  readonly #knownSteps: number;
  readonly #maxVersions: number;
  /** When a write was last allowed, and how many connections had been opened by then. */
  #allowed = { at: Number.NEGATIVE_INFINITY, connections: 0 };

  /** `knownSteps` is the number of schema steps that this program knows. */
  constructor(database: OpenDatabase, knownSteps: number, maxVersions: number) {
    this.#database = database;
    this.#knownSteps = knownSteps;
    this.#maxVersions = maxVersions;
  }

  /** Throws `unavailable` if the schema is unusable or the database is read-only or not durable, else its errors. */
  async check(): Promise<void> {
    const started = performance.now();
    const { connections, placement } = this.#database;
    const state = await schemaOf(connections, checkMs);
    if (!isUsable(state, this.#knownSteps)) {
      throw new NoteError('unavailable', message.schemaChanged(state?.version ?? 0));
    }
    if (state?.is_read_only) throw new NoteError('unavailable', message.storeReadOnly);
    const fault = durabilityFault(state?.off, isDistributed(placement));
    if (fault !== undefined) throw new NoteError('unavailable', `The database cannot be trusted: ${fault}`);
    await connections.inTime(this.#tried(), { ms: Math.max(1, checkMs - (performance.now() - started)) });
  }

  /**
   * Checks before a write, once a second and on each new connection, that the schema still admits this program and that
   * commits are durable. Throws `unavailable`.
   */
  async allowWrite(): Promise<void> {
    const { connections, placement } = this.#database;
    const now = { at: performance.now(), connections: connections.made };
    if (now.at - this.#allowed.at < seenMs && now.connections === this.#allowed.connections) return;
    const [state] = await connections.rows<SchemaState>(selectSchema);
    if (!isUsable(state, this.#knownSteps)) {
      throw new NoteError('unavailable', message.schemaChanged(state?.version ?? 0), { outcome: 'none' });
    }
    const fault = durabilityFault(state?.off, isDistributed(placement));
    if (fault !== undefined) {
      throw new NoteError('unavailable', message.storeRefused, { outcome: 'none', cause: new Error(fault) });
    }
    this.#allowed = { ...now, connections: connections.made };
  }

  /** Runs one trial at a time. */
  readonly #tried = singleFlight(() => tryAll(this.#database, this.#maxVersions));
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

/** Reads notes, writes one and rolls back. Throws errors of the database. */
export async function tryAll(database: OpenDatabase, maxVersions: number): Promise<void> {
  const connection = await database.connections.hold();
  try {
    await connection.run(trial(database, maxVersions));
    if (database.hasLog) await connection.run(emptyCommit);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  connection.release();
}

/** Written to the WAL although it changes nothing, so it waits for the same standbys as a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommit}`;

/** A single message. Notes never have negative ids. */
function trial({ placement, hasLog }: OpenDatabase, maxVersions: number): string {
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const onLocked = isDistributed(placement) ? 'citus' : 'skip';
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const { statement, values } = batchOf([change], { now: 0, onLocked, maxVersions });
  return [
    'BEGIN',
    `${selectFor({})} LIMIT 1`,
    `${selectFor({ category: 'css', group: 'first', archived: false })} LIMIT 1`,
    `SELECT id FROM notes WHERE id = ${id}`,
    'SELECT 1 FROM note_versions LIMIT 1',
    'SELECT 1 FROM group_labels LIMIT 1',
    'SELECT 1 FROM note_origins LIMIT 1',
    ...(hasLog ? ['SELECT ids FROM note_changes LIMIT 1', 'SELECT before FROM note_changes_pruned'] : []),
    `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
     VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`,
    ...(onLocked === 'citus' ? keepFormer([change], maxVersions) : []),
    inlined(statement, values),
    'ROLLBACK',
  ].join('; ');
}
