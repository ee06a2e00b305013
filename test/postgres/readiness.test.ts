/** `/readyz` is 503 while notes cannot be read or written for any reason, and 200 again afterwards. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { runOn } from '../support/postgres/databases.ts';
import { freeze } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { draft, jsonBody, type Service, startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';

const grants = `GRANT USAGE ON SCHEMA public TO notes; GRANT SELECT, INSERT, UPDATE ON notes TO notes;
  GRANT SELECT, INSERT, DELETE ON note_versions TO notes; GRANT SELECT, INSERT, UPDATE ON group_labels TO notes; GRANT SELECT, INSERT, UPDATE ON note_origins TO notes; GRANT SELECT ON notes_schema TO notes; GRANT SELECT, INSERT, DELETE ON note_changes TO notes;
  GRANT SELECT, UPDATE ON note_changes_pruned TO notes`;

let server: PostgresServer;
let service: Service;
const owner = (statements: string) => runOn(server.url(), statements);
beforeAll(async () => {
  server = await startPostgres();
  await using first = await startService({ DATABASE_URL: server.url() });
  await first.stop();
  await owner(`CREATE ROLE notes LOGIN PASSWORD 'x'; ${grants}`);
  const url = new URL(server.url());
  [url.username, url.password] = ['notes', 'x'];
  service = await startService({ DATABASE_URL: url.href });
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** The time in ms until `/readyz` has this status. */
async function untilReady(status: number): Promise<number> {
  const started = performance.now();
  expect(await eventually(async () => (await fetch(`${service.url}/readyz`)).status === status)).toBe(true);
  return performance.now() - started;
}

/** The logged sentences on whether the database is available, from a line on. */
const presenceSince = (line: number): readonly string[] =>
  service.log
    .slice(line)
    .map((text) => JSON.parse(text).msg)
    .filter((sentence) => sentence.startsWith('The database is '));

test.each([
  ['notes are renamed', 'ALTER TABLE notes RENAME TO elsewhere', 'ALTER TABLE elsewhere RENAME TO notes'],
  ['nothing may be inserted', 'REVOKE INSERT ON notes FROM notes', grants],
  ['nothing may be changed', 'REVOKE UPDATE ON notes FROM notes', grants],
  ['the log may not be read', 'REVOKE SELECT ON note_changes FROM notes', grants],
  ['the log may not be written', 'REVOKE INSERT ON note_changes FROM notes', grants],
  [
    'a synchronous standby never answers',
    `ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf()`,
    `ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()`,
  ],
])(
  'not ready within 2.5 s when %s, and ready again within 2.5 s; the database never counts as unavailable',
  async (_, harm, mend) => {
    await untilReady(200);
    const logged = service.log.length;
    for (const statement of harm.split('; ')) await owner(statement);
    const toldAfter = await untilReady(503);
    for (const statement of mend.split('; ')) await owner(statement);
    const backAfter = await untilReady(200);

    expect([toldAfter, backAfter].filter((ms) => ms > 2_500)).toEqual([]);
    expect(presenceSince(logged)).toEqual([]);
  },
  60_000,
);

test.skipIf(!isLinux)(
  'not ready within 2.5 s when the server never answers, and ready again within 2.5 s; each is logged once',
  async () => {
    await untilReady(200);
    await Promise.all(Array.from({ length: 8 }, () => fetch(`${service.url}/api/notes/1`))); // opens connections
    const logged = service.log.length;
    const thaw = freeze(server);
    const toldAfter = await untilReady(503);
    const search = fetch(`${service.url}/api/search`);
    await untilReady(503);
    thaw();
    const backAfter = await untilReady(200);

    expect([toldAfter, backAfter].filter((ms) => ms > 2_500)).toEqual([]);
    expect((await search).status).toBe(200);
    expect(presenceSince(logged)).toEqual(['The database is unavailable', 'The database is available again']);
  },
  60_000,
);

test('a check leaves no note behind, and uses no id', async () => {
  await untilReady(200);
  const created = (await (await fetch(`${service.url}/api/notes`, jsonBody(draft()))).json()) as { id: number };

  expect(created.id).toBe(1);
  expect(await (await fetch(`${service.url}/api/notes`)).json()).toHaveLength(1);
});

test('a schema that has become too new also stops writes', async () => {
  await owner('UPDATE notes_schema SET version = 99, works_from = 99');
  await Bun.sleep(1_100);
  const { status, headers } = await fetch(`${service.url}/api/notes`, jsonBody(draft()));
  expect([status, headers.get('Notes-Outcome')]).toEqual([500, 'none']);
  await untilReady(503);
});
