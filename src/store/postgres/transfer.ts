import { NoteError } from '../../domain/error.ts';
import type { Batches, StoredNote, TransferSource, TransferTarget } from '../transfer.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { DatabaseError } from './failure.ts';
import { migrate, schemaOf } from './migrate.ts';
import { connect, locationOf, type PostgresOptions, refusal } from './open.ts';
import { columns, type NoteRow } from './row.ts';
import { migrations } from './schema.ts';
import { beginSnapshot, rowsOf } from './snapshot.ts';

/** How long to wait, in ms, until nobody else writes to the target. */
const lockMs = 3_000;

/**
 * The notes in a database as it is now. Services may go on using it, but what they write from now on stays there.
 * Throws `unavailable`, saying what to do.
 */
export async function openPostgresSource(options: PostgresOptions): Promise<TransferSource> {
  await using opened = new AsyncDisposableStack();
  const session = opened.use(await openSession(options, refuseStrange));
  await session.run(beginSnapshot);
  const [last] = await session.run<{ id: string | null }>(
    `SELECT greatest(${given}, (SELECT max(id) FROM notes)) AS id`,
  );
  const { location } = session;
  const resources = opened.move();
  return {
    location,
    lastId: Number(last?.id ?? 0),
    async *notes() {
      yield* session.notes();
      await session.run('ROLLBACK'); // what follows may take longer than a transaction may be idle
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * An empty database, whose schema is made or brought up to date. Services that use it wait with their writes meanwhile.
 * Throws `unavailable`, saying what to do.
 */
export async function openPostgresTarget(options: PostgresOptions): Promise<TransferTarget> {
  await using opened = new AsyncDisposableStack();
  const session = opened.use(
    await openSession(options, (made) => migrate(made, migrations, options.address.distribution)),
  );
  await session.run(`BEGIN; SET LOCAL lock_timeout = ${lockMs}; LOCK TABLE notes IN EXCLUSIVE MODE`);
  const found = await session.run('SELECT 1 FROM notes LIMIT 1');
  if (found.length > 0) {
    throw new NoteError(
      'unavailable',
      `Cannot use ${session.location}: it holds notes already. Name an empty database`,
    );
  }
  const { location } = session;
  const resources = opened.move();
  return {
    location,
    write: async (notes) => void (await session.run(insertOf(notes))),
    notes: () => session.notes(),
    continueAfter: async (lastId) => void (lastId > 0 && (await session.run(continueAfter(lastId)))),
    commit: async () => void (await session.run('COMMIT')),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** One connection, on which one transaction takes place. Errors of the database become ours. */
interface Session extends AsyncDisposable {
  readonly location: string;
  run<Row>(statements: string): Promise<Row[]>;
  notes(): Batches;
}

async function openSession(
  options: PostgresOptions,
  checkSchema: (connections: Connections) => Promise<void>,
): Promise<Session> {
  const location = locationOf(options.address);
  await using opened = new AsyncDisposableStack();
  const connections = opened.use(await connect({ ...options, poolSize: 2 }, checkSchema));
  const connection = opened.adopt(await connections.hold(), rollBack);
  const resources = opened.move();
  const failed = (error: unknown): never => {
    throw refusal(isLocked(error) ? new NoteError('busy', 'another program writes to it. Try again') : error, location);
  };
  return {
    location,
    run: <Row>(statements: string) => connection.run<Row>(statements).catch(failed),
    notes: () => notesIn(connection, failed),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const isLocked = (error: unknown) => error instanceof DatabaseError && error.sqlState === '55P03';

/** Whoever mistypes a database must not get our tables there. */
async function refuseStrange(connections: Connections): Promise<void> {
  const state = await schemaOf(connections);
  if (state === undefined) throw new NoteError('unavailable', 'there are no notes. Name the database that holds them');
  if (state.works_from > migrations.length) {
    throw new NoteError('unavailable', 'its schema needs a newer version of Notes. Update Notes');
  }
}

async function* notesIn(connection: Connection, failed: (error: unknown) => never): Batches {
  try {
    for await (const rows of rowsOf(connection, {})) {
      if (rows.length > 0) yield rows.map(storedNote);
    }
  } catch (error) {
    failed(error);
  }
}

const storedNote = ({ created_at: createdAt, updated_at: updatedAt, ...row }: NoteRow): StoredNote => ({
  ...row,
  id: Number(row.id),
  createdAt: Number(createdAt),
  updatedAt: Number(updatedAt),
});

/** The notes as JSON between dollar signs, which therefore are escaped in it: no setting changes how it is read. */
function insertOf(notes: readonly StoredNote[]): string {
  const rows = notes.map(({ createdAt, updatedAt, ...note }) => ({
    ...note,
    created_at: createdAt,
    updated_at: updatedAt,
  }));
  const json = JSON.stringify(rows).replaceAll('$', '\\u0024');
  return `INSERT INTO notes (${columns}) SELECT ${columns} FROM json_to_recordset($$${json}$$) AS note(id bigint, title text,
    content text, category text, "group" text, color text, archived boolean, created_at bigint, updated_at bigint)`;
}

/** The highest id that the database gave out by itself; null: none. */
const given = `pg_sequence_last_value(pg_get_serial_sequence('notes', 'id')::regclass)`;

const continueAfter = (lastId: number) =>
  `SELECT setval(pg_get_serial_sequence('notes', 'id')::regclass, greatest(${lastId}, ${given}))`;
