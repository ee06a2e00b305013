import { isExposed, type PostgresAddress } from '../../../core/tools/postgres-address.ts';
import { messageOf } from '../../../core/tools/thrown.ts';
import { schemaOf } from '../../../store/postgres/migrate.ts';
import { connect, locationOf, placed } from '../../../store/postgres/open.ts';
import { placementInWords } from '../../../store/postgres/placement.ts';
import { Readiness } from '../../../store/postgres/postgres-transactions.ts';
import { migrations } from '../../../store/postgres/schema.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const timeoutMs = 3_000;

/** Writes a note and rolls back, as `/readyz` does, once the start has brought the schema to that of this program. */
export async function examinePostgres(address: PostgresAddress, source: string): Promise<Finding> {
  const where = locationOf(address);
  try {
    await using connections = await connect({ address, timeoutMs, poolSize: 1 }, async (made) => made);
    const known = migrations.length;
    const [server] = await connections.rows<{ version: string }>(`SELECT current_setting('server_version') AS version`);
    const { version } = (await schemaOf(connections)) ?? { version: 0 };
    const database = { connections, ...(await placed(connections)), knownSteps: known };
    if (version >= known) await new Readiness(database).check();
    const placement = placementInWords(database.placement);
    const use =
      version < known ? `the next start brings its schema from ${version} to ${known}` : 'notes can be written';
    const found = `${where} (${source}): PostgreSQL ${server?.version}${placement ? ` with ${placement}` : ''}, ${use}`;
    if (!isExposed(address)) return ok(found);
    return warning(`${found}; others on the network may read or forge notes`, 'Use sslmode=verify-full');
  } catch (error) {
    const remedy = `Check whether ${where} runs, its log, and the rights of the role (docs/operations.md)`;
    return fault(messageOf(error), remedy);
  }
}
