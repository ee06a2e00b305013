/** Two services on one database: each sees at once what the other wrote, and no write is lost. */
import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { categories, type NoteDraft } from '../../src/core/note.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody, type Service, startService } from '../support/service.ts';

let database: TestDatabase;
let services: readonly Service[] = [];
beforeAll(async () => {
  database = await createEmptyDatabase();
  services = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: database.url })));
});
afterAll(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Asks the service with this number, modulo their count. */
const ask = (turn: number, path = '', init?: RequestInit) =>
  fetch(`${services[turn % services.length]?.url}/api/notes${path}`, init);

const create = (turn: number, changes?: Partial<NoteDraft>) =>
  readNoteBody(ask(turn, '', createJsonRequest(createDraft(changes))));
const put = (turn: number, id: number, changes: object) =>
  ask(turn, `/${id}`, createJsonRequest({ id, ...changes }, 'PUT'));
const list = (turn: number, query = '') => readNotesBody(ask(turn, query));
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

test('notes created through both at once have unique ids, and both list them all in order', async () => {
  const notes = await times(1_000, (n) => create(n, { title: `Note ${n}`, category: 'host-town' }));

  const expected = notes.toSorted((a, b) => a.id - b.id);
  expect(new Set(notes.map((note) => note.id)).size).toBe(notes.length);
  expect(notes.map((note) => note.title)).toEqual(Array.from(notes, (_, n) => `Note ${n}`));
  for (const turn of [0, 1]) expect(await list(turn, '?category=host-town')).toEqual(expected);
});

test('a list from one includes writes that the other answered before it began', async () => {
  await times(24, async (n) => {
    let { id, category } = await create(n);
    for (let round = 0; round < 40; round++) {
      const former = category;
      const next = categories[(n + 3 * round) % categories.length] ?? former;
      const isMove = round % 4 > 0;
      const verb = round % 8 === 0 ? 'archive' : 'unarchive';
      const answer = isMove ? put(round, id, { category: next }) : ask(round, `/${id}/${verb}`, { method: 'PATCH' });
      const note = await readNoteBody(answer);
      ({ category } = note);
      const queries = [
        `?category=${category}&archived=${note.archived}`,
        `?category=${former}&archived=${note.archived}`,
      ];

      const [now, before] = await Promise.all(queries.map((query) => list(round + 1, query)));

      expect(now?.find((other) => other.id === id)).toEqual(note);
      expect(before?.some((other) => other.id === id)).toBe(category === former);
    }
  });
});

test('of 20 writes under the same condition through both, one succeeds', async () => {
  for (let round = 0; round < 15; round++) {
    const { id, updatedAt } = await create(round);
    const condition = { 'Content-Type': 'application/json', 'If-Match': `"${updatedAt}"` };

    const answers = await times(20, async (n) => {
      const answer = await ask(n, `/${id}`, { ...createJsonRequest({ id, title: `${n}` }, 'PUT'), headers: condition });
      return { n, status: answer.status };
    });

    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await readNoteBody(ask(round + 1, `/${id}`))).title).toBe(`${winners[0]?.n}`);
  }
});

test('a list stays 304 until the other one has written, on both', async () => {
  const query = '?group=fifth&category=prompts';
  const notes = await times(5, (n) => create(n, { group: 'fifth', category: 'prompts' }));
  const tagOf = async (turn: number) => (await ask(turn, query)).headers.get('etag') ?? '';
  const statusOf = async (turn: number, tag: string) =>
    (await ask(turn, query, { headers: { 'If-None-Match': tag } })).status;

  for (let round = 0; round < 20; round++) {
    const tag = await tagOf(round);
    expect(await statusOf(round + 1, tag)).toBe(304);
    await put(round, notes[0]?.id ?? 0, { title: `Round ${round}` });
    expect([await statusOf(round + 1, tag), await statusOf(round, tag)]).toEqual([200, 200]);
  }
});

test('times come from the database, whatever the clock of the service says', async () => {
  await using store = await openPostgres(createPostgresOptions(database.url));
  const [clock] = await database.run<{ ms: string }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS ms',
  );
  const before = Number(clock?.ms);
  setSystemTime(new Date('2001-01-01'));
  try {
    const note = await store.create(createDraft());
    const updated = await store.update(note.id, { title: 'later' });

    for (const time of [note.createdAt, note.updatedAt, updated.updatedAt]) {
      expect(Date.parse(time) - before).toBeWithin(0, 60_000);
    }
    expect(updated.updatedAt > note.updatedAt).toBe(true);
  } finally {
    setSystemTime();
  }
});
