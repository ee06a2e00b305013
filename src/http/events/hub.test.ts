import { expect, test } from 'bun:test';
import { draft } from '../../../test/support/service.ts';
import type { ChangeFeed, NoteEngine } from '../../domain/store.ts';
import { openSqlite } from '../../store/sqlite/open.ts';
import { EventHub, type HubOptions } from './hub.ts';

const openStore = () => openSqlite({ path: ':memory:' });

function hubOf({ feed }: NoteEngine, options: HubOptions = {}): EventHub {
  if (feed === undefined) throw new Error('This engine has no feed');
  return new EventHub(feed, options);
}

/** Reads chunks as text. */
function readerOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  return { next: async () => (await reader.read()).value };
}

test('an idle listener periodically gets a comment with the current cursor', async () => {
  await using store = await openStore();
  const hub = hubOf(store, { heartbeatMs: 30 });
  const reader = readerOf(await hub.listen(undefined));
  await reader.next();

  const beats = [await reader.next(), await reader.next()];

  expect(beats).toEqual(Array(2).fill(`:\nid: ${await store.feed?.cursor()}\n\n`));
  hub.close();
});

test('a listener beyond the limit is refused until another one leaves', async () => {
  await using store = await openStore();
  const hub = hubOf(store, { maxListeners: 2 });
  const [first] = await Promise.all([hub.listen(undefined), hub.listen(undefined)]);

  await expect(hub.listen(undefined)).rejects.toThrow('Too many listeners');
  await first.cancel();
  const left = hub.size;
  await hub.listen(undefined);

  expect([left, hub.size]).toEqual([1, 2]);
  hub.close();
});

test('a listener whose cursor is too old gets a reset, one with a later cursor the notes that it missed', async () => {
  await using store = await openStore();
  const hub = hubOf(store);
  const write = (title: string, length = 1) => store.create(draft({ title, content: 'x'.repeat(length) }));
  const old = await store.feed?.cursor();
  for (let n = 0; n < 5; n++) await write(`${n}`, 4 * 1024 * 1024);
  const recent = await store.feed?.cursor();
  await write('Missed');
  const [late, early] = [readerOf(await hub.listen(old)), readerOf(await hub.listen(recent))];
  for (const reader of [late, early]) await reader.next();

  expect(await late.next()).toBe(`id: ${await store.feed?.cursor()}\nevent: reset\ndata: {}\n\n`);
  expect(await early.next()).toContain('"title":"Missed"');
  expect(await store.feed?.changesAfter(old ?? '')).toBeUndefined();
  await write('Later');
  expect(await late.next()).toContain('"title":"Later"');
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
  const reader = readerOf(await hub.listen(undefined));
  await reader.next();
  isAway = true;
  await store.create(draft({ title: 'Written meanwhile' }));

  expect(await reader.next()).toContain('Written meanwhile');
  expect(errors).toEqual([new Error('away')]);
  hub.close();
});
