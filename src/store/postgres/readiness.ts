import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { keepFormer } from './citus/former.ts';
import { type Connections, rollBack } from './connections.ts';
import { isUsable, type SchemaState, schemaOf, selectSchema } from './migrate.ts';
import { selectFor } from './snapshot.ts';
import { awaitCommit, batchOf, inlined } from './statements/writes.ts';

export interface Probed {
  /** Whether changes are logged. */
  readonly hasLog: boolean;
  /** Whether Citus distributes the tables, so that locked rows cannot be skipped. */
  readonly isDistributed: boolean;
  /** Maximum number of versions kept per note; 0 keeps none. */
  readonly maxVersions: number;
}

/** Timeout of a check, and for how long a successful trial counts, in ms. */
const checkMs = 1_200;
const freshMs = 700;

/** For how long a permission to write counts, in ms. */
const seenMs = 1_000;

/**
 * Proves that notes can be read and written, by the statements of reads and writes on the real tables: inserts and
 * changes a note and rolls back, at most once per `freshMs` while that succeeds.
 */
export class Readiness {
  readonly #connections: Connections;
  readonly #knownSteps: number;
  readonly #probed: Probed;
  #trial: Promise<void> | undefined;
  #passedAt = Number.NEGATIVE_INFINITY;
  /** When a write was last allowed, and how many connections had been opened by then. */
  #allowed = { at: Number.NEGATIVE_INFINITY, connections: 0 };

  /** `knownSteps` is the number of schema steps that this program knows. */
  constructor(connections: Connections, knownSteps: number, probed: Probed) {
    this.#connections = connections;
    this.#knownSteps = knownSteps;
    this.#probed = probed;
  }

  /** Throws `unavailable` if the schema is unusable or the database is read-only or not durable, else its errors. */
  async check(): Promise<void> {
    const started = performance.now();
    const state = await schemaOf(this.#connections, checkMs);
    if (!isUsable(state, this.#knownSteps)) {
      throw new NoteError('unavailable', message.schemaChanged(state?.version ?? 0));
    }
    if (state?.is_read_only) throw new NoteError('unavailable', message.storeReadOnly);
    const fault = forgetfulness(state?.off, this.#probed.isDistributed);
    if (fault !== undefined) throw new NoteError('unavailable', `The database cannot be trusted: ${fault}`);
    if (started - this.#passedAt < freshMs) return;
    await this.#connections.awaited(this.#tried(), Math.max(1, checkMs - (performance.now() - started)));
  }

  /**
   * Checks before a write, once a second and on each new connection, that the schema still admits this program and that
   * commits are durable. Throws `unavailable`.
   */
  async allowWrite(): Promise<void> {
    const now = { at: performance.now(), connections: this.#connections.made };
    const { at, connections } = this.#allowed;
    if (now.at - at < seenMs && now.connections === connections) return;
    const [state] = await this.#connections.rows<SchemaState>(selectSchema);
    if (!isUsable(state, this.#knownSteps)) {
      throw new NoteError('unavailable', message.schemaChanged(state?.version ?? 0), { outcome: 'none' });
    }
    const fault = forgetfulness(state?.off, this.#probed.isDistributed);
    if (fault !== undefined) {
      throw new NoteError('unavailable', message.storeRefused, { outcome: 'none', cause: new Error(fault) });
    }
    this.#allowed = { ...now, connections: this.#connections.made };
  }

  /** Runs one trial at a time. */
  #tried(): Promise<void> {
    this.#trial ??= this.#try();
    this.#trial.catch(() => {}); // waiters get the rejection
    return this.#trial;
  }

  async #try(): Promise<void> {
    try {
      await tryAll(this.#connections, this.#probed);
      this.#passedAt = performance.now();
    } finally {
      this.#trial = undefined;
    }
  }
}

/**
 * Explains why a server may lose commits, as the end of a sentence. `synchronous_commit` matters only if Citus commits
 * on other nodes, as writes set it themselves.
 */
export function forgetfulness(settingsOff: string | null | undefined, isDistributed: boolean): string | undefined {
  const off = settingsOff?.split(' ').filter((name) => isDistributed || name !== 'synchronous_commit') ?? [];
  return off.length === 0
    ? undefined
    : `it may lose notes in a crash: its setting ${off.join(', ')} is off. Turn it on`;
}

/** Reads notes, writes one and rolls back. Throws errors of the database. */
export async function tryAll(connections: Connections, probed: Probed): Promise<void> {
  const connection = await connections.hold();
  try {
    await connection.run(trial(probed));
    if (probed.hasLog) await connection.run(emptyCommit);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  connection.release();
}

/** Written to the WAL although it changes nothing, so it waits for the same standbys as a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommit}`;

/** A single message. Notes never have negative ids. */
function trial({ hasLog, isDistributed, maxVersions }: Probed): string {
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const held = isDistributed ? 'citus' : 'pass';
  const change = { kind: 'change', id, change: { title: '+' } } as const;
  const { statement, values } = batchOf([change], 0, { held, maxVersions });
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
    ...(isDistributed ? keepFormer([change], maxVersions) : []),
    inlined(statement, values),
    'ROLLBACK',
  ].join('; ');
}
