import { type Service, startService } from '../service.ts';
import { createEmptyDatabase } from './databases.ts';

/** As `startService`, on an empty PostgreSQL database that is dropped on disposal. */
async function startOnPostgres(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const database = await createEmptyDatabase();
  const service = await startService({ ...env, DATABASE_URL: database.url });
  const endService = service[Symbol.asyncDispose].bind(service);
  return Object.assign(service, {
    async [Symbol.asyncDispose]() {
      await endService();
      await database[Symbol.asyncDispose]();
    },
  });
}

/** Each engine, and how to start a service on an empty store of it. */
export const services = [
  ['SQLite', startService],
  ['PostgreSQL', startOnPostgres],
] as const;
