import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createDraft } from '../../../test/support/sample-notes.ts';
import type { NoteEngine } from '../../core/store.ts';
import { openSqlite } from '../../store/open-sqlite.ts';
import { LargeResponses } from './large-responses.ts';
import { CompressedListCopy, SharedListCache } from './shared-lists.ts';

const large = new LargeResponses({ countUnsent: () => 0, onBreak() {} });
/** Random bytes, so that a copy is about as long as its list. */
const createRandomText = (bytes: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64');

let store: NoteEngine;
beforeEach(async () => {
  store = await openSqlite({ path: ':memory:', cacheBytes: 0 });
  for (let note = 0; note < 40; note++) await store.create(createDraft({ content: createRandomText(30_000) })); // 1.6 MB
});
afterEach(() => store[Symbol.asyncDispose]());

/** Room for two copies of the list. */
const limits = { maxBytes: 4 * 1024 * 1024, maxCopyBytes: 2 * 1024 * 1024 };
const create = (changes: Partial<typeof limits> = {}) => new SharedListCache(store, { ...limits, ...changes });
const tryDecodeCopy = async (copy: unknown) =>
  copy instanceof CompressedListCopy &&
  new Response(
    (await large.openStreamOrThrowBusy(copy.openChunks())).pipeThrough(new DecompressionStream('gzip')),
  ).text();

test('requests share a copy until a note is written', async () => {
  const shared = create();
  const [first, second] = await Promise.all([
    shared.tryReadCompressedOrShortList({}, 'gzip'),
    shared.tryReadCompressedOrShortList({}, 'gzip'),
  ]);
  const later = await shared.tryReadCompressedOrShortList({}, 'gzip');
  const note = await store.create(createDraft());
  const changed = await shared.tryReadCompressedOrShortList({}, 'gzip');

  expect(first).toBeInstanceOf(CompressedListCopy);
  expect(second).toBe(first);
  expect(later).toBe(first);
  expect(await tryDecodeCopy(changed)).toEndWith(`,${JSON.stringify(note)}]`);
  expect(await tryDecodeCopy(first)).not.toContain(`"id":${note.id},`);
});

test('a request that arrives while a copy is made gets what was written before it', async () => {
  const shared = create();
  const first = shared.tryReadCompressedOrShortList({}, 'gzip');
  await new Promise(setImmediate); // it is being made
  const note = await store.create(createDraft());
  const waiting = await Promise.all([
    shared.tryReadCompressedOrShortList({}, 'gzip'),
    shared.tryReadCompressedOrShortList({}, 'gzip'),
  ]);

  expect(await tryDecodeCopy(waiting[0])).toEndWith(`,${JSON.stringify(note)}]`);
  expect(waiting[1]).toBe(waiting[0]);
  expect(await first).toBeInstanceOf(CompressedListCopy);
});

test('copies that are still being read hold their memory; another one is made when their readers have left', async () => {
  const shared = create();
  const readers = [];
  for (let count = 0; count < 2; count++) {
    const copy = await shared.tryReadCompressedOrShortList({}, 'gzip');
    if (copy instanceof CompressedListCopy) readers.push(copy.openChunks());
    await store.create(createDraft());
  }

  const unshared = await shared.tryReadCompressedOrShortList({}, 'gzip');
  await readers[0]?.close();
  const made = await shared.tryReadCompressedOrShortList({}, 'gzip');

  expect(readers).toHaveLength(2);
  expect(unshared).toBeUndefined();
  expect(made).toBeInstanceOf(CompressedListCopy);
});

test('the copy that was used longest ago makes room for another one', async () => {
  const shared = create();
  const first = await shared.tryReadCompressedOrShortList({}, 'gzip');
  await shared.tryReadCompressedOrShortList({ category: 'notes' }, 'gzip');
  await shared.tryReadCompressedOrShortList({ group: 'first' }, 'gzip');

  const again = await shared.tryReadCompressedOrShortList({}, 'gzip');

  expect(again).toBeInstanceOf(CompressedListCopy);
  expect(again).not.toBe(first);
});

test('a list whose copy would be too large is not shared; a short one is read as it is', async () => {
  const shared = create({ maxCopyBytes: 1024 * 1024 });

  const lists = await Promise.all([
    shared.tryReadCompressedOrShortList({}, 'gzip'),
    shared.tryReadCompressedOrShortList({}, 'gzip'),
  ]);

  expect(lists).toEqual([undefined, undefined]);
  expect(shared.isListKnownToBeLong({})).toBe(true);
  expect(await shared.tryReadCompressedOrShortList({ category: 'css' }, 'gzip')).toMatchObject({ kind: 'whole' });
  expect(shared.isListKnownToBeLong({ category: 'css' })).toBe(false);
});

test('a list that cannot be read fails for all who wait', async () => {
  const shared = create();
  await store[Symbol.asyncDispose]();

  const lists = await Promise.allSettled([
    shared.tryReadCompressedOrShortList({}, 'gzip'),
    shared.tryReadCompressedOrShortList({}, 'gzip'),
  ]);

  expect(lists.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
