/** Many clients read and write the same few notes concurrently: the history is linearizable. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { noteColumnsSql, toNote } from '../../src/store/note-fields.ts';
import type { SqliteNoteRow } from '../../src/store/sqlite/sqlite-reads.ts';
import { ContendingClient } from '../support/linearizability/contending-client.ts';
import { ContentionRecord } from '../support/linearizability/contention.ts';
import { findContradictions, findContradictionsPerNote } from '../support/linearizability/find-contradictions.ts';
import { createCitusDatabase, createEmptyDatabase, type TestDatabase } from '../support/postgres/databases.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { createJsonRequest, createTemporaryFolder, startService } from '../support/service.ts';
import { reportFigures } from './report.ts';
import { type OtherProgram, startOtherProgram } from './start-other-program.ts';

const rounds = pickByScale(20, 2);
const operations = pickByScale(30_000, 10_000);

/** In turns: few clients get quick responses and detect late visibility; the requests of many form batches. */
const clients = [3, 32];

/** The maximal delay until a commit of another program is visible, in ms: 10, plus a batch on a busy machine. */
const noticeMs = 50;

/** Services on one store, and its peculiarities. */
interface Setting extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Another program that writes to it. */
  readonly other?: OtherProgram;
  /** A group with notes of 18 MB. */
  readonly longGroup?: Note['group'];
  /** Whether lists are snapshots, so that all notes together have one order; otherwise each note has one. */
  readonly hasSnapshots?: boolean;
}

async function onSqlite(): Promise<Setting> {
  await using parts = new AsyncDisposableStack();
  const path = join(parts.use(createTemporaryFolder()).path, 'notes.db');
  const { url } = parts.use(await startService({ DATABASE_URL: `sqlite:${path}` }));
  const all = parts.move();
  return { urls: [url], [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const withLongLists = async (): Promise<Setting> => ({ ...(await onSqlite()), longGroup: 'fifth' });

async function besideAnother(): Promise<Setting> {
  await using parts = new AsyncDisposableStack();
  const path = join(parts.use(createTemporaryFolder()).path, 'notes.db');
  const { url } = parts.use(await startService({ DATABASE_URL: `sqlite:${path}` }));
  const other = parts.use(startOtherProgram(path));
  const all = parts.move();
  return { urls: [url], other, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const onPostgres = async () => openTwoServices(await createEmptyDatabase());

const citusHome = process.env['TEST_CITUS_URL'];

async function onCitus(): Promise<Setting> {
  const database = await createCitusDatabase(citusHome ?? '', `notes_contention_${process.pid}`, 'id');
  return { ...(await openTwoServices(database)), hasSnapshots: false };
}

async function openTwoServices(database: TestDatabase): Promise<Setting> {
  await using parts = new AsyncDisposableStack();
  parts.use(database);
  const services = [1, 2].map(async () => parts.use(await startService({ DATABASE_URL: database.url })));
  const urls = (await Promise.all(services)).map(({ url }) => url);
  const all = parts.move();
  return { urls, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Changes up to three notes in one transaction. */
async function writeElsewhere(other: OtherProgram, random: Random, contention: ContentionRecord): Promise<void> {
  const ids = [1, 2, 3].flatMap(() => contention.pickIdOrUndefined(random) ?? []);
  const fields = { content: contention.createUniqueText(), archived: random.below(4) === 0 };
  const from = performance.now();
  const rows = await other.run(`UPDATE notes SET content = '${fields.content}', archived = ${fields.archived},
    updated_at = max(updated_at + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)) WHERE id IN (${ids}) RETURNING ${noteColumnsSql}`);
  const to = performance.now() + noticeMs;
  const notes = (rows as SqliteNoteRow[]).map(toNote);
  const changes = notes.map(({ id }) => ({ id, fields }));
  contention.recordOperation({ kind: 'write', by: 'another program', from, to, changes, notes });
}

/** Stores notes that no client writes to, too many for their lists to be cached. */
async function fill(url: string, group: Note['group'], contention: ContentionRecord): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const fields = createDraft({ group, content: 'x'.repeat(6_000_000) });
    const from = performance.now();
    const answer = await fetch(`${url}/api/notes`, createJsonRequest(fields));
    const notes = contention.parseNotes(await answer.text());
    const to = performance.now();
    contention.history.push({ kind: 'write', by: 'the test', from, to, changes: [{ fields }], notes });
  }
}

/** Runs clients and the other program until the history is long enough. */
async function contend(
  { urls, other, longGroup }: Setting,
  random: Random,
  clients: number,
): Promise<ContentionRecord> {
  const contention = new ContentionRecord();
  if (longGroup) await fill(urls[0] ?? '', longGroup, contention);
  const isOver = () => contention.history.length >= (longGroup ? operations / 8 : operations);
  const writes = other ? 1 : 5; // of 20 requests: own writes refresh what those of another program should
  const ask = async (index: number) => {
    const own = createSeededRandom(random.below(2 ** 32));
    const client = new ContendingClient(`client ${index}`, {
      urls,
      contention,
      random: own,
      writes,
      rareGroup: longGroup,
    });
    while (!isOver()) await client.sendNextRequest();
  };
  const interfere = async () => {
    while (other && !isOver()) await writeElsewhere(other, random, contention);
  };
  await Promise.all([...Array.from({ length: clients }, (_, index) => ask(index)), interfere()]);
  return contention;
}

test.each([
  ['a SQLite file', onSqlite],
  ['a SQLite file with lists too long to be kept', withLongLists],
  ['a SQLite file that another program writes to', besideAnother],
  ['PostgreSQL through two services', onPostgres],
  ...(citusHome === undefined ? [] : ([['Citus by id through two services, for each note', onCitus]] as const)),
])(
  `one order explains all that clients see of the same notes at once: %s`,
  async (name, open) => {
    const random = createSeededRandom(seed);
    const sums = { reads: 0, unchanged: 0, writes: 0, failed: 0 };

    for (let round = 0; round < rounds; round++) {
      await using setting = await open();
      const { history, unchanged, failed, ambiguousTags } = await contend(setting, random, clients[round % 2] ?? 0);
      const find = setting.hasSnapshots === false ? findContradictionsPerNote : findContradictions;

      expect(find(history).slice(0, 10)).toEqual([]);
      expect(ambiguousTags).toEqual([]);
      const reads = history.filter(({ kind }) => kind === 'read').length;
      sums.reads += reads;
      sums.unchanged += unchanged;
      sums.writes += history.length - reads;
      sums.failed += failed;
    }

    expect(sums.unchanged).toBeGreaterThan(0);
    expect(sums.failed).toBeLessThan(sums.reads / 100);
    const counts =
      `${sums.reads} reads, ${sums.unchanged} of them not modified, ` + `${sums.writes} writes, ${sums.failed} failed`;
    reportFigures(28, `${name}: ${rounds} histories of ${clients.join(' or ')} clients, ${counts}, each in one order`);
  },
  longRunMs,
);
