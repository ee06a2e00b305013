import type { Config } from '../../../config.ts';
import { isExposed, type PostgresAddress } from '../../../shared/postgres-address.ts';
import { messageOf } from '../../../shared/thrown.ts';
import type { Connections } from '../../../store/postgres/connections.ts';
import { schemaOf } from '../../../store/postgres/migrate.ts';
import { connect, locationOf, placed } from '../../../store/postgres/open.ts';
import { placementInWords, placementOf } from '../../../store/postgres/placement.ts';
import { tryAll } from '../../../store/postgres/postgres-transactions.ts';
import { migrations } from '../../../store/postgres/schema.ts';
import { type Check, fault, ok, schemaCheck, warning } from './check.ts';

const timeoutMs = 3_000;

/** Checks a PostgreSQL database. Changes nothing. */
export async function examinePostgres(
  address: PostgresAddress,
  { databasePrepare: prepare }: Pick<Config, 'databasePrepare'>,
): Promise<readonly Check[]> {
  const tls = examineTls(address);
  try {
    await using connections = await connect({ address, timeoutMs, prepare, poolSize: 1 }, async (made) => made);
    return [tls, await examineServer(connections), ...(await examineSchema(connections))];
  } catch (error) {
    const found = messageOf(error);
    return [tls, fault('server', found, `Check whether ${locationOf(address)} is running, and read its log`)];
  }
}

function examineTls(address: PostgresAddress): Check {
  const found = `sslmode=${address.tls}`;
  if (!isExposed(address)) return ok('tls', found);
  return warning('tls', `${found}: others on the network may read or forge notes`, 'Use sslmode=verify-full');
}

async function examineServer(connections: Connections): Promise<Check> {
  const started = performance.now();
  const [facts] = await connections.rows<{ version: string; role: string; is_standby: boolean }>(
    `SELECT current_setting('server_version') AS version, current_user AS role, pg_is_in_recovery() AS is_standby`,
  );
  const ms = (performance.now() - started).toFixed(1);
  const citus = placementInWords(await placementOf((statement) => connections.rows(statement)));
  const server = `PostgreSQL ${facts?.version}${citus ? ` with ${citus}` : ''}`;
  const found = `${server}, as role ${facts?.role}, answers in ${ms} ms`;
  if (!facts?.is_standby) return ok('server', found);
  return warning('server', `${found}; it is a standby: writes are refused`, 'Name the primary in DATABASE_URL');
}

async function examineSchema(connections: Connections): Promise<readonly Check[]> {
  const { version, works_from: worksFrom } = (await schemaOf(connections)) ?? { version: 0, works_from: 0 };
  const found = schemaCheck(version, worksFrom, migrations.length);
  if (version === 0 || found.state !== 'ok') return [found];
  const rights = await examineRights(connections);
  const isUsable = version >= migrations.length && rights.state === 'ok';
  const use = isUsable ? [await examineUse(connections)] : [];
  return [found, rights, ...use, ...(await examineSize(connections))];
}

/** Writes a note and rolls back, as `/readyz` does. */
async function examineUse(connections: Connections): Promise<Check> {
  try {
    await tryAll({ connections, ...(await placed(connections)), knownSteps: migrations.length });
    return ok('use', 'a note was written and rolled back');
  } catch (error) {
    const found = `no note can be read and written: ${messageOf(error)}`;
    return fault('use', found, 'Check the log of the database, and all of its nodes');
  }
}

/** Checks the rights of the role to the tables that every service uses. */
async function examineRights(connections: Connections): Promise<Check> {
  const [row] = await connections.rows<{ missing: string | null }>(
    `SELECT string_agg(right_name || ' on ' || table_name, ', ') AS missing
     FROM (VALUES ('notes', 'SELECT'), ('notes', 'INSERT'), ('notes', 'UPDATE'), ('notes_schema', 'SELECT'))
       AS needed (table_name, right_name)
     WHERE NOT has_table_privilege(to_regclass(table_name), right_name)`,
  );
  if (!row?.missing) return ok('rights', 'the role may read and write notes');
  return fault('rights', `the role lacks ${row.missing}`, 'Grant the rights listed in docs/operations.md');
}

async function examineSize(connections: Connections): Promise<readonly Check[]> {
  const [row] = await connections.rows<{ notes: string; size: string }>(
    `SELECT reltuples::bigint AS notes, pg_size_pretty(pg_total_relation_size(oid)) AS size
     FROM pg_class WHERE oid = to_regclass('notes')`,
  );
  const notes = Number(row?.notes ?? -1); // -1: not counted by the server yet
  return [ok('notes', `${notes < 0 ? 'not counted yet' : `about ${notes}`}, ${row?.size}`)];
}
