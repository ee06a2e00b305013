/** Lists read from a standby, whose snapshots do not show the transactions that are open on the primary. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { Connections } from '../../src/store/postgres/connections.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { PostgresLists } from '../../src/store/postgres/postgres-lists.ts';
import { PageReader } from '../../src/store/postgres/postgres-pages.ts';
import { eventually } from '../support/eventually.ts';
import { optionsFor, runOn } from '../support/postgres/databases.ts';
import { answering } from '../support/postgres/processes.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { startStandby } from '../support/postgres/standby.ts';
import { notesOf } from '../support/stores/json-list.ts';

const insert = (title: string) =>
  `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
   VALUES ('${title}', 'c', 'css', 'first', 'info', 1, 1)`;

const limits = { poolSize: 4, timeoutMs: 5_000 };

test('a transaction open during a read is shown once it has ended, before and after the promotion', async () => {
  await using primary = await startPostgres();
  await (await openPostgres(optionsFor(primary.url())))[Symbol.asyncDispose]();
  await using standby = await startStandby(primary);
  const url = standby.server.url();
  await using connections = new Connections(optionsFor(url).address, limits);
  const pages = new PageReader(connections, true, { max: 2, waitMs: 5_000 });
  const lists = new PostgresLists(connections, pages, 1024 * 1024);
  const shown = async () => {
    const list = await lists.answer({}, []);
    return list.kind === 'whole' ? (await notesOf(list)).map((note) => note.title) : list;
  };
  const stored = async () => (await runOn<{ title: string }>(url, 'SELECT title FROM notes ORDER BY id')).length;
  await using early = new SQL(primary.url(), { max: 1 });
  await using later = new SQL(primary.url(), { max: 1 });

  await early.unsafe(`BEGIN; ${insert('early')}`).simple();
  await later.unsafe(`BEGIN; ${insert('later')}`).simple();
  await runOn(primary.url(), insert('first to end'));
  expect(await eventually(async () => (await stored()) === 1)).toBe(true);
  expect(await shown()).toEqual(['first to end']);
  await early.unsafe('COMMIT').simple();
  expect(await eventually(async () => (await stored()) === 2)).toBe(true);
  expect(await shown()).toEqual(['early', 'first to end']);
  await later.unsafe('COMMIT').simple();
  expect(await eventually(async () => (await stored()) === 3)).toBe(true);
  await runOn(url, 'SELECT pg_promote()');
  await answering(standby.server, 'SELECT 1 AS one WHERE NOT pg_is_in_recovery()');

  expect(await shown()).toEqual(['early', 'later', 'first to end']);
  await runOn(url, insert('last'));
  expect(await shown()).toEqual(['early', 'later', 'first to end', 'last']);
}, 60_000);
