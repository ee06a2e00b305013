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
