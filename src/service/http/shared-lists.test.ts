import { afterEach, beforeEach, expect, test } from 'bun:test';
import { draft } from '../../../test/support/service.ts';
import type { NoteEngine } from '../../core/store.ts';
import { openSqlite } from '../../store/open-sqlite.ts';
import { LargeResponses } from './large-responses.ts';
import { ListCopy, SharedListReader } from './shared-lists.ts';

const large = new LargeResponses({ countUnsent: () => 0, onBreak() {} });
/** Random bytes, so that a copy is about as long as its list. */
const contentOf = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64');

let store: NoteEngine;
beforeEach(async () => {
  store = await openSqlite({ path: ':memory:', cacheBytes: 0 });
  for (let note = 0; note < 40; note++) await store.create(draft({ content: contentOf(30_000) })); // 1.6 MB
});
afterEach(() => store[Symbol.asyncDispose]());

/** Room for two copies of the list. */
const limits = { maxBytes: 4 * 1024 * 1024, maxCopyBytes: 2 * 1024 * 1024 };
const create = (changes: Partial<typeof limits> = {}) => new SharedListReader(store, { ...limits, ...changes });
const textOf = async (copy: unknown) =>
  copy instanceof ListCopy &&
  new Response((await large.openStream(copy.openChunks())).pipeThrough(new DecompressionStream('gzip'))).text();

test('requests share a copy until a note is written', async () => {
  const shared = create();
  const [first, second] = await Promise.all([shared.readList({}, 'gzip'), shared.readList({}, 'gzip')]);
  const later = await shared.readList({}, 'gzip');
  const note = await store.create(draft());
  const changed = await shared.readList({}, 'gzip');

  expect(first).toBeInstanceOf(ListCopy);
  expect(second).toBe(first);
  expect(later).toBe(first);
  expect(await textOf(changed)).toEndWith(`,${JSON.stringify(note)}]`);
  expect(await textOf(first)).not.toContain(`"id":${note.id},`);
});

test('a request that arrives while a copy is made gets what was written before it', async () => {
  const shared = create();
  const first = shared.readList({}, 'gzip');
  await new Promise(setImmediate); // it is being made
  const note = await store.create(draft());
  const waiting = await Promise.all([shared.readList({}, 'gzip'), shared.readList({}, 'gzip')]);

  expect(await textOf(waiting[0])).toEndWith(`,${JSON.stringify(note)}]`);
  expect(waiting[1]).toBe(waiting[0]);
  expect(await first).toBeInstanceOf(ListCopy);
});

test('copies that are still being read hold their memory; another one is made when their readers have left', async () => {
  const shared = create();
  const readers = [];
  for (let count = 0; count < 2; count++) {
    const copy = await shared.readList({}, 'gzip');
    if (copy instanceof ListCopy) readers.push(copy.openChunks());
    await store.create(draft());
  }

  const unshared = await shared.readList({}, 'gzip');
  await readers[0]?.close();
  const made = await shared.readList({}, 'gzip');

  expect(readers).toHaveLength(2);
  expect(unshared).toBeUndefined();
  expect(made).toBeInstanceOf(ListCopy);
});

test('the copy that was used longest ago makes room for another one', async () => {
  const shared = create();
  const first = await shared.readList({}, 'gzip');
  await shared.readList({ category: 'notes' }, 'gzip');
  await shared.readList({ group: 'first' }, 'gzip');

  const again = await shared.readList({}, 'gzip');

  expect(again).toBeInstanceOf(ListCopy);
  expect(again).not.toBe(first);
});

test('a list whose copy would be too large is not shared; a short one is read as it is', async () => {
  const shared = create({ maxCopyBytes: 1024 * 1024 });

  const lists = await Promise.all([shared.readList({}, 'gzip'), shared.readList({}, 'gzip')]);

  expect(lists).toEqual([undefined, undefined]);
  expect(shared.isLongList({})).toBe(true);
  expect(await shared.readList({ category: 'css' }, 'gzip')).toMatchObject({ kind: 'whole' });
  expect(shared.isLongList({ category: 'css' })).toBe(false);
});

test('a list that cannot be read fails for all who wait', async () => {
  const shared = create();
  await store[Symbol.asyncDispose]();

  const lists = await Promise.allSettled([shared.readList({}, 'gzip'), shared.readList({}, 'gzip')]);

  expect(lists.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
