import { expect, test } from 'bun:test';
import { createDraft } from '../../../test/support/sample-notes.ts';
import type { ChangeFeed, NoteEngine } from '../../core/store.ts';
import { openSqlite } from '../../store/open-sqlite.ts';
import { EventHub, type EventHubOptions, PieceRing } from './event-hub.ts';

const openStore = () => openSqlite({ path: ':memory:' });

function createHub(store: NoteEngine, options: EventHubOptions = {}): EventHub {
  if (store.feed === undefined) throw new Error('This engine has no feed');
  return new EventHub(store.feed, store, options);
}

/** Reads chunks as text. */
function createTextReader(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader.read()).value;
  return {
    next,
    /** The rest, to the end. */
    async all() {
      let text = '';
      for (let more = await next(); more !== undefined; more = await next()) text += more;
      return text;
    },
  };
}

test('an idle listener periodically gets the current cursor', async () => {
  await using store = await openStore();
  const hub = createHub(store, { heartbeatMs: 30 });
  const reader = createTextReader(await hub.openEventStream(undefined));
  await reader.next();

  const beats = [await reader.next(), await reader.next()];

  expect(beats).toEqual(Array(2).fill(`id: ${await store.feed?.readCursor()}\n\n`));
  hub.close();
});

test('a stream ends soon after its listener has lost access, and the others go on', async () => {
  await using store = await openStore();
  const hub = createHub(store, { heartbeatMs: 1 });
  let isRemoved = false;
  const removed = createTextReader(await hub.openEventStream(undefined, async () => !isRemoved));
  const unsure = createTextReader(
    await hub.openEventStream(undefined, () => Promise.reject(new Error('The database is away'))),
  );
  await removed.next();

  isRemoved = true;
  await removed.all();

  expect(hub.listenerCount).toBe(1);
  expect(await unsure.next()).toStartWith('retry: 1000\n');
  hub.close();
});

test('a listener beyond the limit is rejected until another one leaves', async () => {
  await using store = await openStore();
  const hub = createHub(store, { maxListeners: 2 });
  const [first] = await Promise.all([hub.openEventStream(undefined), hub.openEventStream(undefined)]);

  await expect(hub.openEventStream(undefined)).rejects.toThrow('Too many listeners');
  await first.cancel();
  const left = hub.listenerCount;
  await hub.openEventStream(undefined);

  expect([left, hub.listenerCount]).toEqual([1, 2]);
  hub.close();
});

test('a listener that missed little gets it in the first frames, one that missed much a reset', async () => {
  await using store = await openStore();
  const hub = createHub(store);
  const write = (title: string, length = 1) => store.create(createDraft({ title, content: 'x'.repeat(length) }));
  const old = await store.feed?.readCursor();
  await write('Long', 64 * 1024);
  const recent = await store.feed?.readCursor();
  await write('Missed');
  const head = await store.feed?.readCursor();
  const [late, early] = [
    createTextReader(await hub.openEventStream(old)),
    createTextReader(await hub.openEventStream(recent)),
  ];

  expect(await late.next()).toBe(`retry: 1000\nevent: reset\ndata: {}\nid: ${head}\n\n`);
  const first = await early.next();
  expect(first).toStartWith(`retry: 1000\nid: ${recent}\n\nevent: note\ndata: {`);
  expect(first).toEndWith(`}\nid: ${head}\n\n`);
  await write('Later');
  for (const reader of [late, early]) expect(await reader.next()).toContain('"title":"Later"');
  hub.close();
});

test('the stream of a reader that stalls for too long ends, and others get each event', async () => {
  await using store = await openStore();
  const hub = createHub(store, { tickMs: 1 });
  const content = 'x'.repeat(1024 * 1024); // many writes, of which each is quick
  const [slow, quick] = [
    createTextReader(await hub.openEventStream(undefined)),
    createTextReader(await hub.openEventStream(undefined)),
  ];
  const total = 20; // more than the ring holds
  for (let n = 1; n <= total; n++) {
    await store.create(createDraft({ title: `Note ${n}`, content }));
    for (let text = ''; !text.includes(`"title":"Note ${n}"`); ) text = (await quick.next()) ?? '';
  }

  const left = await slow.all();

  expect(left.length).toBeLessThan(content.length);
  expect(hub.listenerCount).toBe(1);
  hub.close();
});

test('a listener gets the pins when they have changed, with the cursor that it has', async () => {
  await using store = await openStore();
  const [one, other] = [await store.create(createDraft()), await store.create(createDraft())];
  await store.replacePins([one.id]);
  const hub = createHub(store, { pinsMs: 10 });
  const reader = createTextReader(await hub.openEventStream(undefined));
  const first = await reader.next();
  const cursor = await store.feed?.readCursor();

  await store.replacePins([one.id]);
  await store.replacePins([other.id, one.id]);
  const event = await reader.next();
  await store.create(createDraft({ title: 'Later' }));
  const next = await reader.next();

  expect(first).toBe(`retry: 1000\nid: ${cursor}\n\n`);
  expect(event).toBe(`event: pins\ndata: {"ids":[2,1]}\nid: ${cursor}\n\n`);
  expect(next).toContain('"title":"Later"');
  hub.close();
});

test('listeners wait while the store fails, and miss nothing', async () => {
  await using store = await openStore();
  const { feed } = store;
  if (feed === undefined) throw new Error('This engine has no feed');
  const errors: unknown[] = [];
  let isAway = false;
  const failing: ChangeFeed = {
    readCursor: () => feed.readCursor(),
    waitForPossibleChanges: (cursor) => feed.waitForPossibleChanges(cursor),
    async readChangesAfter(cursor) {
      if (isAway) throw new Error('away');
      return feed.readChangesAfter(cursor);
    },
  };
  const hub = new EventHub(failing, store, {
    onError: (error) => {
      errors.push(error);
      isAway = false;
    },
  });
  const reader = createTextReader(await hub.openEventStream(undefined));
  await reader.next();
  isAway = true;
  await store.create(createDraft({ title: 'Written meanwhile' }));

  expect(await reader.next()).toContain('Written meanwhile');
  expect(errors).toEqual([new Error('away')]);
  hub.close();
});

/** The pieces of a ring from a position on. */
const collectPieces = (ring: PieceRing, position: number) =>
  Array.from(
    { length: ring.endPosition - position },
    (_, index) => ring.findPieceAt(position + index) ?? new Uint8Array(),
  );

test('the oldest pieces make room for new ones', () => {
  const ring = new PieceRing();
  const starts = [1, 2, 3, 4, 5].map((n) => {
    const position = ring.endPosition;
    ring.appendAndDropOldest(`${n}`.repeat(5 * 1024 * 1024));
    return position;
  });

  expect(starts.map((position) => ring.canReadFrom(position))).toEqual([false, false, true, true, true]);
  expect(Buffer.concat(collectPieces(ring, starts[4] ?? 0)).toString()).toBe('5'.repeat(5 * 1024 * 1024));
});
