import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { type BatchRules, batchOf } from './changes.ts';
import { type Connections, rollBack } from './connections.ts';
import { isUsable, schemaOf } from './migrate.ts';
import { selectFor } from './snapshot.ts';

export interface Probed extends BatchRules {
  /** Whether changes are logged for replicas. */
  readonly hasLog: boolean;
}

/** How long the database may take to answer, in ms, and for how long a trial counts that it has passed. */
const checkMs = 1_200;
const freshMs = 700;

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

  /** For a program that knows so many steps of the schema. */
  constructor(connections: Connections, knownSteps: number, probed: Probed) {
    this.#connections = connections;
    this.#knownSteps = knownSteps;
    this.#probed = probed;
  }

  /** Throws `unavailable` for a schema that is not ours and a database that is read-only, else what the database says. */
  async check(): Promise<void> {
    const started = performance.now();
    const state = await schemaOf(this.#connections, checkMs);
    if (!isUsable(state, this.#knownSteps)) {
      throw new NoteError('unavailable', message.schemaChanged(state?.version ?? 0));
    }
    if (state?.is_read_only) throw new NoteError('unavailable', message.storeReadOnly);
    if (started - this.#passedAt < freshMs) return;
    await this.#connections.awaited(this.#tried(), Math.max(1, checkMs - (performance.now() - started)));
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
const emptyCommit = "SELECT pg_logical_emit_message(true, 'notes', '')";

/** In one message. Ids below zero are nobody's. */
function trial({ hasLog, ...rules }: Probed): string {
  const id = -2 - Math.floor(Math.random() * 2 ** 52);
  const { statement, values } = batchOf([{ kind: 'change', id, change: { title: '+' } }], 0, rules);
  return [
    'BEGIN',
    `${selectFor({})} LIMIT 1`,
    `${selectFor({ category: 'css', group: 'first', archived: false })} LIMIT 1`,
    `SELECT id FROM notes WHERE id = ${id}`,
    'SELECT 1 FROM note_versions LIMIT 1',
    ...(hasLog ? ['SELECT ids FROM note_changes LIMIT 1', 'SELECT before FROM note_changes_pruned'] : []),
    `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
     VALUES (${id}, '-', '-', 'css', 'first', 'info', 0, 0)`,
    statement.replace(/\$([123])/g, (_, n) => `'${values[n - 1]}'`),
    'ROLLBACK',
  ].join('; ');
}
