/** Those who use the database beside a service: roles and sessions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { TestDatabase } from '../support/postgres/databases.ts';

/** A role without any rights, and the address of the database for it. */
export interface Role extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
}

let created = 0;

export async function createRole(database: TestDatabase, password = 'role/pass-51c@%'): Promise<Role> {
  const name = `notes_role_${process.pid}_${++created}`;
  await database.run(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  const url = new URL(database.url);
  url.username = name;
  url.password = encodeURIComponent(password);
  return {
    name,
    url: url.href,
    [Symbol.asyncDispose]: async () => void (await database.run(`DROP OWNED BY ${name}; DROP ROLE ${name}`)),
  };
}

/** The documented grants of the owner to a role that only works with notes. */
export function dataRights(role: string): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/operations/postgresql.md'), 'utf8');
  const grants = /```sql\n(GRANT [\s\S]*?)```/.exec(page)?.[1] ?? '';
  return grants.replaceAll('TO notes;', `TO ${role};`);
}

/** The documented grants of the owner of distributed notes to such a role. */
export function dataRightsOnCitus(role: string): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/operations/citus.md'), 'utf8');
  const grants = /```sql\n *(GRANT [\s\S]*?)```/.exec(page)?.[1] ?? '';
  const usual = dataRights(role).split('\n');
  return [
    ...usual.filter((grant) => !grant.includes('note_changes')),
    grants.replaceAll('TO notes;', `TO ${role};`),
  ].join('\n');
}

/** A session as of another program, whose transactions stay open as long as it likes. */
export function openSession({ url }: Pick<TestDatabase, 'url'>) {
  const sql = new SQL(url, { max: 1 });
  return {
    run: (statements: string) => sql.unsafe(statements).simple(),
    [Symbol.asyncDispose]: () => sql.close(),
  };
}
