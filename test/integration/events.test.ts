/** `GET /api/events` on both engines: each write is sent, none is lost, and no slow client blocks another. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createClient, type NoteEvent } from '../../src/client/client.ts';
import type { Note } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase, waitForWholeChangeLog } from '../support/postgres/databases.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { copyWithoutId, createDraft, createPortableNote } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  runNotesCommand,
  type Service,
  startService,
} from '../support/service.ts';

/** Two addresses of the same notes: one service with SQLite, two instances with PostgreSQL. */
interface Stage extends AsyncDisposable {
  readonly services: readonly [Service, Service];
}

async function onSqlite(): Promise<Stage> {
  const service = await startService();
  return { services: [service, service], [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function onPostgres(): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createEmptyDatabase());
  const start = async () => opened.use(await startService({ DATABASE_URL: database.url }));
  const services = [await start(), await start()] as const;
  await waitForWholeChangeLog(database);
  const all = opened.move();
  return { services, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const create = ({ url }: Service, title: string) =>
  readNoteBody(fetch(`${url}/api/notes`, createJsonRequest(createDraft({ title }))));
const rename = ({ url }: Service, { id }: Note, title: string) =>
  readNoteBody(fetch(`${url}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT')));
const readCursor = async ({ url }: Service) => (await fetch(`${url}/api/notes`)).headers.get('notes-cursor') ?? '';

/** A client of the event stream, and the events received so far. */
interface Listener extends AsyncDisposable {
  readonly heard: readonly NoteEvent[];
  /** Resolves with the events once one of them matches; fails after 10 s. */
  until(isIt: (event: NoteEvent) => boolean): Promise<readonly NoteEvent[]>;
}

/** Follows the stream through the client, from now on or after a cursor. */
async function listen({ url }: Service, given?: string): Promise<Listener> {
  const stopping = new AbortController();
  const heard: NoteEvent[] = [];
  const cursor = given ?? (await readCursor({ url } as Service));
  const ended = (async () => {
    for await (const event of createClient(url).events({ cursor, signal: stopping.signal })) heard.push(event);
  })();
  return {
    heard,
    async until(isIt) {
      await Promise.race([ended, isEventuallyTrue(() => heard.some(isIt))]);
      expect(heard.some(isIt)).toBe(true);
      return heard;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

const tells = (title: string) => (event: NoteEvent) => event.kind === 'note' && event.note.title === title;
const isReset = (event: NoteEvent) => event.kind === 'reset';
const selectNotes = (events: readonly NoteEvent[]) =>
  events.flatMap((event) => (event.kind === 'note' ? [event.note] : []));

/** The raw frames of an answer, until `isEnough` holds. */
async function readFramesUntil(url: string, init: RequestInit, isEnough: (text: string) => boolean): Promise<string[]> {
  const answer = await fetch(url, init);
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (isEnough(text)) break;
  }
  return text.split('\n\n');
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL, with two instances', onPostgres],
])('%s:', (_, begin: () => Promise<Stage>) => {
  let stage: Stage;
  let here: Service;
  let there: Service;
  beforeAll(async () => {
    stage = await begin();
    [here, there] = stage.services;
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test('each write is sent as it was answered, in order, while nothing else is asked for', async () => {
    await using listener = await listen(there);
    const created = await create(here, 'Told');
    const archived = await readNoteBody(fetch(`${here.url}/api/notes/${created.id}/archive`, { method: 'PATCH' }));

    const events = selectNotes(await listener.until((event) => event.kind === 'note' && event.note.archived));

    expect(events.at(-1)).toEqual(archived);
    expect(events.length).toBeLessThanOrEqual(2);
    await rename(here, created, 'Told later');
    await listener.until(tells('Told later'));
  });

  test('a list has a cursor for its events: whole, unchanged, compressed, filtered or HEAD', async () => {
    const note = await create(here, 'Listed');
    const url = `${here.url}/api/notes`;
    const whole = await fetch(url);
    const answers = [
      whole,
      await fetch(url, { headers: { 'If-None-Match': whole.headers.get('etag') ?? '' } }),
      await fetch(url, { method: 'HEAD' }),
      await fetch(`${url}?category=css`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 200, 200]);

    for (const { headers } of answers) {
      await using listener = await listen(there, headers.get('notes-cursor') ?? '');
      const title = `After ${headers.get('etag')}`;
      await rename(here, note, title);
      expect((await listener.until(tells(title))).filter(isReset)).toEqual([]);
    }
  });

  test('a frame has an id, and the header Last-Event-ID takes precedence over the parameter', async () => {
    const old = await readCursor(here);
    const note = await create(here, 'First');
    const received = await readFramesUntil(`${there.url}/api/events?cursor=${old}`, {}, (text) =>
      text.includes('First'),
    );
    const frame = received.find((text) => text.includes('First')) ?? '';
    const [event, data = '', id = ''] = frame.split('\n');
    expect([event, JSON.parse(data.replace('data: ', '')), id.slice(0, 4)]).toEqual(['event: note', note, 'id: ']);
    await create(here, 'Second');

    const headers = { 'Last-Event-ID': id.slice(4) };
    const frames = await readFramesUntil(`${there.url}/api/events?cursor=${old}`, { headers }, (text) =>
      text.includes('Second'),
    );

    expect(frames[0]).toStartWith('retry: 1000\nid: ');
    expect(frames.filter((frame) => frame.includes('First'))).toEqual([]);
  });

  test.each(['zzz', '1abc.5.3.9', 'x'.repeat(2_000)])(
    'after an unknown cursor (%j) a client gets a reset, and then the events from there on',
    async (cursor) => {
      await using listener = await listen(there, cursor);
      await listener.until(isReset);
      const title = `After ${cursor.slice(0, 9)}`;
      await create(here, title);

      const events = await listener.until(tells(title));

      expect(events[0]?.kind).toBe('reset');
      expect(events.filter(isReset)).toHaveLength(1);
      expect(events[0]?.cursor).toMatch(/^[\w.-]+$/);
      expect(events[0]?.cursor).not.toBe(cursor);
    },
  );

  test('merged notes are sent, also those without ids', async () => {
    await using listener = await listen(there);
    const newer = { title: 'Merged too', updatedAt: '2020-02-01T00:00:00.000Z' };
    const notes = [createPortableNote(5_001, { title: 'Merged' }), createPortableNote(5_002, newer)];
    await fetch(`${here.url}/merge`, createJsonRequest({ notes }));

    expect(selectNotes(await listener.until(tells('Merged too')))).toEqual(notes);

    const older = createJsonRequest({ notes: [createPortableNote(5_002, { title: 'An older version' })] });
    expect(await (await fetch(`${here.url}/merge`, older)).json()).toMatchObject({ results: [{ outcome: 'left' }] });
    const unnumbered = copyWithoutId(createPortableNote(1, { title: 'Merged without an id' }));
    await fetch(`${here.url}/merge`, createJsonRequest({ notes: [unnumbered] }));
    await listener.until(tells('Merged without an id'));
    expect(listener.heard.filter((event) => isReset(event) || tells('An older version')(event))).toEqual([]);
  });

  test(`no random write is lost by clients that reconnect at random (seed ${seed})`, async () => {
    const random = createSeededRandom(seed);
    const writing = writeAtRandom(random, stage.services, pickByScale(2_000, 400));
    const views = await Promise.all([1, 2, 3].map(() => follow(random, stage.services, writing)));

    const listed = await readNotesBody(fetch(`${here.url}/api/notes`));
    for (const view of views) expect([...view.values()].sort((a, b) => a.id - b.id)).toEqual(listed);
  });
});

/** Creates, changes and archives notes through all services, some concurrently; the last one is titled `End`. */
async function writeAtRandom(random: Random, services: readonly Service[], writes: number): Promise<void> {
  const notes: Note[] = [];
  const write = async (n: number) => {
    const service = services[random.below(services.length)] ?? services[0];
    const note = notes[random.below(notes.length + 1)];
    if (service === undefined) throw new Error('There is no service');
    if (note === undefined) notes.push(await create(service, `Note ${n}`));
    else if (random.below(2) === 0) await rename(service, note, `Renamed ${n}`);
    else
      await fetch(`${service.url}/api/notes/${note.id}/${random.pick(['archive', 'unarchive'])}`, { method: 'PATCH' });
  };
  for (let n = 0; n < writes; ) {
    const together = 1 + random.below(8);
    await Promise.all(Array.from({ length: together }, () => write(n++)));
    if (random.below(10) === 0) await Bun.sleep(random.below(100));
  }
  await create(services[0] as Service, 'End');
}

/** The final view of a client that reads the list once, and reconnects to any service after every few events. */
async function follow(
  random: Random,
  services: readonly Service[],
  writing: Promise<void>,
): Promise<Map<number, Note>> {
  const { notes = [], cursor: first } = (await createClient(services[0]?.url ?? '').listIfChanged(undefined)) ?? {};
  const view = new Map(notes.map((note) => [note.id, note]));
  let cursor = first;
  for (let isOver = false; !isOver; ) {
    const stopping = new AbortController();
    const client = createClient(services[random.below(services.length)]?.url ?? '');
    let left = random.below(40);
    for await (const event of client.events({ cursor, signal: stopping.signal })) {
      if (event.kind === 'reset') throw new Error('A reset, although nothing is too old');
      cursor = event.cursor;
      setUnlessOlder(view, event.note);
      isOver ||= event.note.title === 'End';
      if (isOver || left-- === 0) stopping.abort();
    }
  }
  await writing;
  return view;
}

function setUnlessOlder(view: Map<number, Note>, note: Note): void {
  if ((view.get(note.id)?.updatedAt ?? '') <= note.updatedAt) view.set(note.id, note);
}

test('a note that a command adds beside the service resets clients', async () => {
  using folder = createTemporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  await using service = await startService(settings);
  const note = await create(service, 'Ours');
  await using listener = await listen(service);

  expect((await runNotesCommand(['add', 'Theirs', '-m', 'Content'], settings)).code).toBe(0);
  const [event] = await listener.until(isReset);

  expect((await readNotesBody(fetch(`${service.url}/api/notes`))).map(({ title }) => title)).toEqual([
    'Ours',
    'Theirs',
  ]);
  await rename(service, note, 'Ours again');
  await listener.until(tells('Ours again'));
  await using resumed = await listen(service, event?.cursor);
  expect((await resumed.until(tells('Ours again'))).filter(isReset)).toEqual([]);
});

test('a cursor that was pruned from the PostgreSQL log resets clients', async () => {
  await using database = await createEmptyDatabase();
  await using service = await startService({ DATABASE_URL: database.url });
  const cursor = await readCursor(service);
  for (let n = 0; n < 3; n++) await create(service, `Note ${n}`);
  const isPruned = async () => {
    await database.run('SELECT prune_note_changes(0)'); // keeps what a transaction elsewhere on the server may miss
    return (await database.run('SELECT txid FROM note_changes')).length === 0;
  };
  expect(await isEventuallyTrue(isPruned)).toBe(true);

  await using listener = await listen(service, cursor);

  await listener.until(isReset);
  expect(selectNotes(listener.heard)).toEqual([]);
});

test('a cursor stays valid while other databases of the server are written to much, and services start', async () => {
  await using database = await createEmptyDatabase();
  await using service = await startService({ DATABASE_URL: database.url });
  await waitForWholeChangeLog(database);
  const cursor = await readCursor(service);
  const transactions = 'FOR n IN 1..20001 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP';
  await database.run(`DO $$ BEGIN ${transactions}; END $$`);
  await using other = await startService({ DATABASE_URL: database.url });
  await create(other, 'Written here');

  await using listener = await listen(service, cursor);

  await listener.until(tells('Written here'));
  expect(listener.heard.filter(isReset)).toEqual([]);
});

test('a client whose stream breaks reconnects and misses nothing; a refusal at first is thrown', async () => {
  const service = await startService();
  const streams: AbortController[] = [];
  const send = (url: string, init: RequestInit) => {
    const broken = new AbortController();
    streams.push(broken);
    return fetch(url, { ...init, signal: AbortSignal.any([broken.signal, init.signal ?? broken.signal]) });
  };
  const stopping = new AbortController();
  const client = createClient(service.url, { send });
  const titles: string[] = [];
  const following = (async () => {
    for await (const event of client.events({ cursor: await readCursor(service), signal: stopping.signal })) {
      titles.push(event.kind === 'note' ? event.note.title : 'reset');
    }
  })();
  await create(service, 'Before');
  await isEventuallyTrue(() => titles.includes('Before'));

  streams[0]?.abort();
  await create(service, 'Meanwhile');
  await isEventuallyTrue(() => titles.includes('Meanwhile'));
  stopping.abort();
  await following;

  expect(titles).toEqual(['Before', 'Meanwhile']);
  expect(streams).toHaveLength(2);
  await service.stop();
  await expect(createClient(service.url).events().next()).rejects.toMatchObject({ code: 'unreachable', retry: true });
});

test('the end of the service ends streams, and does not wait for them', async () => {
  await using service = await startService();
  const stream = (await fetch(`${service.url}/api/events`)).text();
  await create(service, 'The last');

  const code = await service.stop();

  expect([code, await stream]).toEqual([0, expect.stringMatching(/The last[\s\S]*\n\n$/)]);
  expect(service.log.join('\n')).not.toContain('did not end in time'); // as when they are waited for
});

test('connected clients are counted, and proxies may not cache, change or buffer what they get', async () => {
  await using service = await startService();
  const count = async () =>
    /^notes_event_listeners (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];
  const stopping = new AbortController();
  const streams = [1, 2, 3].map(() => fetch(`${service.url}/api/events`, { signal: stopping.signal }));
  const [{ headers }] = (await Promise.all(streams)) as [Response];
  await fetch(`${service.url}/api/events`, { method: 'HEAD' });
  expect(await count()).toBe('3');
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });

  stopping.abort();

  expect(await isEventuallyTrue(async () => (await count()) === '0')).toBe(true);
});
