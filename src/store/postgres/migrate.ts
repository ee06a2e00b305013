import { NoteError } from '../../domain/error.ts';
import type { Connection, Connections } from './connections.ts';
import { DatabaseError } from './failure.ts';
import type { Step } from './schema.ts';

/** What the database says about its schema. */
export interface SchemaState {
  /** How many steps were taken. */
  readonly version: number;
  /** How many steps a program must know at least. */
  readonly works_from: number;
  readonly is_read_only: boolean;
}

const select = `SELECT version, works_from, current_setting('transaction_read_only') = 'on' AS is_read_only FROM notes_schema`;

/** Undefined while nothing is there. Given a time in ms, it is only asked for so long. */
export async function schemaOf(connections: Connections, withinMs?: number): Promise<SchemaState | undefined> {
  try {
    const rows =
      withinMs === undefined ? connections.read<SchemaState>(select) : connections.ask<SchemaState>(select, withinMs);
    return (await rows)[0];
  } catch (error) {
    if (sqlStateOf(error) === '42P01') return undefined; // there is no such table
    throw error;
  }
}

/** Whether a program that knows `known` steps works on a schema as it is. */
export const isUsable = (state: SchemaState | undefined, known: number) =>
  state !== undefined && state.version >= known && state.works_from <= known;

/**
 * Brings the schema up to date, all steps in one transaction. Instances that start together wait for each other at the
 * only row of `notes_schema`. Nothing is written when nothing is to be done: data rights suffice then.
 * Throws `unavailable` for a schema that only newer programs can work on.
 */
export async function migrate(connections: Connections, steps: readonly Step[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const state = await schemaOf(connections);
    if (state !== undefined && state.works_from > steps.length) throw tooNew(state, steps.length);
    if (isUsable(state, steps.length)) return;
    try {
      return await takeSteps(connections, steps);
    } catch (error) {
      if (sqlStateOf(error) === '42501') throw new NoteError('unavailable', needsRights, { cause: error });
      if (attempt === 20 || !isCollision(error)) throw error;
      await Bun.sleep(20 + Math.random() * 80);
    }
  }
}

async function takeSteps(connections: Connections, steps: readonly Step[]): Promise<void> {
  const hasSnapshots = await isPlainPostgres(connections);
  const connection = await connections.hold();
  try {
    const [state] = await connection.run<SchemaState>(`BEGIN; ${createState}; ${select} FOR UPDATE`);
    if (state?.version === 0) await refuseTaken(connection);
    const missing = steps.slice(state?.version);
    if (missing.length > 0) {
      const taken = missing.filter((step) => hasSnapshots || !step.needsSnapshots);
      if (taken.length > 0) await connection.run(taken.map((step) => step.sql).join('\n'));
      const worksFrom = Math.max(...steps.map((step) => step.worksFrom));
      await connection.run(`UPDATE notes_schema SET version = ${steps.length}, works_from = ${worksFrom}`);
    }
    await connection.run('COMMIT');
  } finally {
    connection.release();
  }
}

const createState = `CREATE TABLE IF NOT EXISTS notes_schema (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version integer NOT NULL, works_from integer NOT NULL);
  INSERT INTO notes_schema (version, works_from) VALUES (0, 0) ON CONFLICT DO NOTHING`;

/** A table of another program may have our name. */
async function refuseTaken(connection: Connection): Promise<void> {
  const [table] = await connection.run<{ is_there: boolean }>("SELECT to_regclass('notes') IS NOT NULL AS is_there");
  if (table?.is_there) throw new NoteError('unavailable', tableOfAnother);
}

const tableOfAnother = 'it has a table "notes" of another program. Name another database in DATABASE_URL';

/** Whether it is PostgreSQL itself, on one machine: others speak its protocol, and their transactions have no such numbers. */
export async function isPlainPostgres(connections: Connections): Promise<boolean> {
  const [facts] = await connections.read<{ is_plain: boolean }>(
    `SELECT version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%'
       AND current_setting('server_version_num')::integer >= 130000
       AND NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS is_plain`,
  );
  return facts?.is_plain === true;
}

const tooNew = ({ works_from: worksFrom }: SchemaState, known: number) =>
  new NoteError(
    'unavailable',
    `its schema needs a newer version of Notes (${worksFrom} steps, this one knows ${known})`,
  );

const needsRights = 'its schema is not up to date, and this role may not change it. Start Notes once with one that may';

const sqlStateOf = (error: unknown) => (error instanceof DatabaseError ? error.sqlState : undefined);

/** Another instance did the same at the same moment: created the table, or is ahead in a transaction. */
const isCollision = (error: unknown) => /^(23505|40001|40P01|42710|42P07|XX000)$/.test(sqlStateOf(error) ?? '');
