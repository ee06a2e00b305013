import { expect, test } from 'bun:test';
import { draft } from '../../../test/support/service.ts';
import type { ChangeFeed, NoteEngine } from '../../core/store.ts';
import { openSqlite } from '../../store/open-sqlite.ts';
import { EventHub, type EventHubOptions, EventRing } from './event-hub.ts';

const openStore = () => openSqlite({ path: ':memory:' });

function createHub({ feed }: NoteEngine, options: EventHubOptions = {}): EventHub {
  if (feed === undefined) throw new Error('This engine has no feed');
  return new EventHub(feed, options);
}

/** Reads chunks as text. */
function readerOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
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
  const reader = readerOf(await hub.openStream(undefined));
  await reader.next();

  const beats = [await reader.next(), await reader.next()];

  expect(beats).toEqual(Array(2).fill(`id: ${await store.feed?.cursor()}\n\n`));
  hub.close();
});

test('a stream ends soon after its listener has lost access, and the others go on', async () => {
  await using store = await openStore();
  const hub = createHub(store, { heartbeatMs: 1 });
  let isRemoved = false;
  const removed = readerOf(await hub.openStream(undefined, async () => !isRemoved));
  const unsure = readerOf(await hub.openStream(undefined, () => Promise.reject(new Error('The database is away'))));
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
  const [first] = await Promise.all([hub.openStream(undefined), hub.openStream(undefined)]);

  await expect(hub.openStream(undefined)).rejects.toThrow('Too many listeners');
  await first.cancel();
  const left = hub.listenerCount;
  await hub.openStream(undefined);

  expect([left, hub.listenerCount]).toEqual([1, 2]);
  hub.close();
});

test('a listener that missed little gets it in the first frames, one that missed much a reset', async () => {
  await using store = await openStore();
  const hub = createHub(store);
  const write = (title: string, length = 1) => store.create(draft({ title, content: 'x'.repeat(length) }));
  const old = await store.feed?.cursor();
  await write('Long', 64 * 1024);
  const recent = await store.feed?.cursor();
  await write('Missed');
  const head = await store.feed?.cursor();
  const [late, early] = [readerOf(await hub.openStream(old)), readerOf(await hub.openStream(recent))];

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
  const [slow, quick] = [readerOf(await hub.openStream(undefined)), readerOf(await hub.openStream(undefined))];
  const total = 20; // more than the ring holds
  for (let n = 1; n <= total; n++) {
    await store.create(draft({ title: `Note ${n}`, content }));
    for (let text = ''; !text.includes(`"title":"Note ${n}"`); ) text = (await quick.next()) ?? '';
  }

  const left = await slow.all();

  expect(left.length).toBeLessThan(content.length);
  expect(hub.listenerCount).toBe(1);
  hub.close();
});

test('listeners wait while the store fails, and miss nothing', async () => {
  await using store = await openStore();
  const { feed } = store;
  if (feed === undefined) throw new Error('This engine has no feed');
  const errors: unknown[] = [];
  let isAway = false;
  const failing: ChangeFeed = {
    cursor: () => feed.cursor(),
    changed: (cursor) => feed.changed(cursor),
    async changesAfter(cursor) {
      if (isAway) throw new Error('away');
      return feed.changesAfter(cursor);
    },
  };
  const hub = new EventHub(failing, {
    onError: (error) => {
      errors.push(error);
      isAway = false;
    },
  });
  const reader = readerOf(await hub.openStream(undefined));
  await reader.next();
  isAway = true;
  await store.create(draft({ title: 'Written meanwhile' }));

  expect(await reader.next()).toContain('Written meanwhile');
  expect(errors).toEqual([new Error('away')]);
  hub.close();
});

/** The pieces of a ring from a position on. */
const from = (ring: EventRing, position: number) =>
  Array.from(
    { length: ring.endPosition - position },
    (_, index) => ring.findPiece(position + index) ?? new Uint8Array(),
  );

test('the oldest pieces make room for new ones', () => {
  const ring = new EventRing();
  const starts = [1, 2, 3, 4, 5].map((n) => {
    const position = ring.endPosition;
    ring.append(`${n}`.repeat(5 * 1024 * 1024));
    return position;
  });

  expect(starts.map((position) => ring.hasPosition(position))).toEqual([false, false, true, true, true]);
  expect(Buffer.concat(from(ring, starts[4] ?? 0)).toString()).toBe('5'.repeat(5 * 1024 * 1024));
});
