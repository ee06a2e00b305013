import { NoteError } from '../../core/error.ts';
import {
  type Distribution,
  distributeEmptyNotesAndDropLog,
  distributeOtherTables,
  isPlacementDistributed,
  isPlacementLogged,
  readPlacementOrLocal,
} from './citus-placement.ts';
import { type Connection, type ConnectionPool, type RunQuery, rollBackAndRelease } from './connection-pool.ts';
import { DatabaseError } from './postgres-errors.ts';
import type { Step } from './postgres-migrations.ts';

export interface SchemaState {
  readonly version: number;
  /** Number of steps that a program must at least know. */
  readonly works_from: number;
  readonly off: string | null;
}

/** Lists the settings, separated by spaces, that are off and without which commits may be lost in a crash. */
export const unsafeSettingsSql = `(SELECT string_agg(name, ' ')
  FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) AS name
  WHERE current_setting(name, true) = 'off')`;

export const selectSchemaStateSql = `SELECT version, works_from, ${unsafeSettingsSql} AS off FROM notes_schema`;

/** Returns undefined if there is no schema. With `withinMs`, waits at most that long and does not retry. */
export async function readSchemaStateIfPresent(
  connections: ConnectionPool,
  withinMs?: number,
): Promise<SchemaState | undefined> {
  try {
    const [state] = await (withinMs === undefined
      ? connections.readWithRetries<SchemaState>(selectSchemaStateSql)
      : connections.limitWaitAndReportAvailability(connections.query<SchemaState>(selectSchemaStateSql), withinMs));
    return state;
  } catch (error) {
    if (getSqlState(error) === '42P01') return undefined; // no such table
    throw error;
  }
}

export const isSchemaUsable = (state: SchemaState | undefined, known: number) =>
  state !== undefined && state.version >= known && state.works_from <= known;

/**
 * Migrates the schema in one transaction, and distributes the notes with Citus if requested. Instances that start
 * together wait for each other at the only row of `notes_schema`. Writes nothing if all is up to date, so that data
 * rights suffice. Throws `unavailable` for a schema that only newer programs can use.
 */
export async function migrateAndDistribute(
  connections: ConnectionPool,
  steps: readonly Step[],
  distribution?: Distribution,
): Promise<void> {
  for (let attempt = 1, started = performance.now(); ; attempt++) {
    const state = await readSchemaStateIfPresent(connections);
    if (state !== undefined && state.works_from > steps.length) throw createTooNewError(state, steps.length);
    if (isSchemaUsable(state, steps.length) && (await readIsPlacedAsRequested(connections, steps, distribution)))
      return;
    try {
      return await runMissingStepsAndDistribute(connections, steps, distribution);
    } catch (error) {
      assertCanRetry(error, attempt, performance.now() - started);
      await Bun.sleep(20 + Math.random() * 80);
    }
  }
}

/** Throws what a failed migration is reported as, unless another instance was in its way, for a moment only. */
function assertCanRetry(error: unknown, attempt: number, elapsedMs: number): void {
  const sqlState = getSqlState(error);
  if (sqlState === '42501') throw new NoteError('unavailable', needsRights, { cause: error });
  const isLocked = sqlState === '55P03';
  if (isLocked && elapsedMs > lockPatienceMs) throw new NoteError('unavailable', locked, { cause: error });
  if (!isLocked && (attempt >= 20 || !isConcurrentChangeError(error))) throw error;
}

/** Whether the notes are distributed as requested, with what distributed notes need if they are. */
async function readIsPlacedAsRequested(
  connections: ConnectionPool,
  steps: readonly Step[],
  requested: Distribution | undefined,
): Promise<boolean> {
  const run: RunQuery = (statement) => connections.readWithRetries(statement);
  const placement = await readPlacementOrLocal(run);
  if (requested !== undefined && placement.distribution !== requested) return false;
  if (!isPlacementLogged(placement) || placement.isWorker) return true; // a worker has no log of changes
  return (await findMissingStepsOfDistribution(run, steps)).length === 0;
}

/** Finds the steps for distributed notes that were not taken, as the notes were not distributed then. */
async function findMissingStepsOfDistribution(run: RunQuery, steps: readonly Step[]): Promise<readonly Step[]> {
  const needed = steps.filter((step) => step.existsWhereDistributedSql !== undefined);
  if (needed.length === 0) return [];
  const conditions = needed.map((step) => step.existsWhereDistributedSql);
  const [row] = await run<{ exist: string }>(`SELECT concat_ws(' ', ${conditions.join(', ')}) AS exist`);
  const exist = row?.exist.split(' ');
  return needed.filter((_, index) => exist?.[index] !== 't');
}

/** Creates what distributed notes need and lack, such as their log of changes, and keeps out programs without it. */
async function runMissingStepsOfDistribution(connection: Connection, steps: readonly Step[]): Promise<void> {
  const missing = await findMissingStepsOfDistribution((statement) => connection.query(statement), steps);
  if (missing.length === 0) return;
  const worksFrom = Math.max(...missing.map((step) => step.worksFrom));
  await connection.query(`${missing.map(({ sql }) => sql).join('\n')};
    UPDATE notes_schema SET works_from = greatest(works_from, ${worksFrom})`);
}

/** Lock timeout of a step, short because writes queue behind it, and for how long steps are retried, in ms. */
const lockMs = 300;
const lockPatienceMs = 20_000;

/** Runs the steps that the schema lacks in one transaction, and distributes the tables if that is requested. */
async function runMissingStepsAndDistribute(
  connections: ConnectionPool,
  steps: readonly Step[],
  distribution: Distribution | undefined,
) {
  const connection = await connections.reserve();
  try {
    const begin = `BEGIN; SET LOCAL lock_timeout = ${lockMs}; ${createSchemaTableSql}; ${selectSchemaStateSql} FOR UPDATE`;
    const [state] = await connection.query<SchemaState>(begin);
    if (state?.version === 0) await assertNoNotesTable(connection);
    const placement = await readPlacementOrLocal((statement) => connection.query(statement));
    if (placement.citus !== undefined) await connection.query(useOneConnectionPerNodeSql);
    const hasSnapshots = placement.isPlain && distribution === undefined;
    const missing = steps.slice(state?.version);
    if (missing.length > 0) {
      if (isPlacementDistributed(placement) && placement.isWorker) throw new NoteError('unavailable', needsCoordinator);
      const usual = steps.filter((step) => step.existsWhereDistributedSql === undefined);
      const executed = missing.filter((step) => usual.includes(step) && (hasSnapshots || !step.needsSnapshots));
      if (executed.length > 0) await connection.query(executed.map((step) => step.sql).join('\n'));
      const worksFrom = Math.max(...usual.map((step) => step.worksFrom));
      await connection.query(
        `UPDATE notes_schema SET version = ${steps.length}, works_from = greatest(works_from, ${worksFrom})`,
      );
    }
    if (distribution !== undefined) await distributeEmptyNotesAndDropLog(connection, placement, distribution);
    await distributeOtherTables(connection, distribution ?? placement.distribution);
    if (distribution !== undefined || isPlacementLogged(placement))
      await runMissingStepsOfDistribution(connection, steps);
    await connection.query('COMMIT');
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
  connection.release();
}

/** Citus creates no function in a transaction that has reached the shards of a node by several connections. */
const useOneConnectionPerNodeSql = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

const needsCoordinator =
  'its schema is not up to date, and it is a worker of Citus. Start Notes once with the address of the coordinator';
const locked =
  'another session holds a lock on its tables, which blocks the change of its schema. ' +
  'Find it in pg_locks, end it, and start again';

const createSchemaTableSql = `CREATE TABLE IF NOT EXISTS notes_schema (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version integer NOT NULL, works_from integer NOT NULL);
  INSERT INTO notes_schema (version, works_from) VALUES (0, 0) ON CONFLICT DO NOTHING`;

/** Throws if a database without our schema has a table `notes`. */
async function assertNoNotesTable(connection: Connection): Promise<void> {
  const [table] = await connection.query<{ is_there: boolean }>("SELECT to_regclass('notes') IS NOT NULL AS is_there");
  if (table?.is_there) throw new NoteError('unavailable', tableOfAnother);
}

const tableOfAnother = 'it has a table "notes" of another program. Name another database';

const createTooNewError = ({ works_from: worksFrom }: SchemaState, known: number) =>
  new NoteError(
    'unavailable',
    `its schema needs a newer version of Notes (${worksFrom} steps, this one knows ${known})`,
  );

const needsRights =
  'its schema is not up to date, and this role may not change it. Start Notes once with a role that may';

const getSqlState = (error: unknown) => (error instanceof DatabaseError ? error.sqlState : undefined);

/** Whether another instance has done the same at the same time: created the table, or changed the row. */
const isConcurrentChangeError = (error: unknown) =>
  /^(23505|40001|40P01|42710|42P07|XX000)$/.test(getSqlState(error) ?? '');
