import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { keepFormer } from './citus/former.ts';
import { type Connections, rollBack } from './connections.ts';
import { isUsable, type SchemaState, schemaOf, selectSchema } from './migrate.ts';
import { selectFor } from './snapshot.ts';
import { awaitCommit, batchOf, inlined } from './writes.ts';

export interface Probed {
  /** Whether changes are logged. */
  readonly hasLog: boolean;
  /** Whether Citus has the tables: there is no row to pass over. */
  readonly isDistributed: boolean;
  /** How many versions of a note are kept; 0: none. */
  readonly maxVersions: number;
}

/** How long the database may take to answer, in ms, and for how long a trial counts that it has passed. */
const checkMs = 1_200;
const freshMs = 700;

/** How long what was seen before a write counts, in ms. */
const seenMs = 1_000;

/**
 * Proves that the notes can be read and written now, with the statements that reads and writes use, on their tables: a note is
 * inserted, changed and rolled back, at most once a second while that goes well.
 */
export class Readiness {
  readonly #connections: Connections;
  readonly #knownSteps: number;
  readonly #probed: Probed;
  #trial: Promise<void> | undefined;
  #passedAt = Number.NEGATIVE_INFINITY;
  /** When a write was last allowed, and how many connections had been made then. */
  #allowed = { at: Number.NEGATIVE_INFINITY, connections: 0 };

  /** For a program that knows so many steps of the schema. */
  constructor(connections: Connections, knownSteps: number, probed: Probed) {
    this.#connections = connections;
    this.#knownSteps = knownSteps;
    this.#probed = probed;
  }

  /** Throws `unavailable` for a schema that is not ours, a database that is read-only or forgets, else what the database says. */
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
   * Before a write, once a second and on each new connection: a program that a newer schema shuts out must not write to it, nor
   * may a server take notes that it may forget. Throws `unavailable` then.
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

  /** One trial at a time, however long it takes. */
  #tried(): Promise<void> {
    this.#trial ??= this.#try();
    this.#trial.catch(() => {}); // whoever waits for it is told
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
 * Why a server may forget what it has committed, as the end of a sentence, from its `settingsOff`. Writes see to
 * `synchronous_commit` themselves, except where Citus commits them on other nodes.
 */
export function forgetfulness(settingsOff: string | null | undefined, isDistributed: boolean): string | undefined {
  const off = settingsOff?.split(' ').filter((name) => isDistributed || name !== 'synchronous_commit') ?? [];
  return off.length === 0
    ? undefined
    : `it forgets notes when it crashes: its setting ${off.join(', ')} is off. Turn it on`;
}

/** Reads notes, writes one and rolls it back, and commits nothing. Throws what the database says. */
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

/** Is written to the log, though it changes nothing, and so waits for the standbys that a write waits for. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'notes', ''), ${awaitCommit}`;

/** In one message. Ids below zero are nobody's. */
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
