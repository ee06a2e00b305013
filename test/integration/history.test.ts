/** The contract of every store for earlier versions of notes (src/core/store.ts: `history`). */
import { describe, expect, test } from 'bun:test';
import type { Note } from '../../src/core/note.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { openEmptyPostgres } from '../support/postgres/databases.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { collectEarlierVersions, getErrorCodeOrNoError, type Open, stores } from '../support/stores/stores.ts';

/** Odd texts that must be kept byte for byte. */
const texts = ['a\r\nb\r\n', ' \t\u0001\u007f', '\ufeffé漢👍\u2028\u202e', '$$ \'\\\' $1 {"b":[1]}', '\n'];

describe.each(stores)('%s', (_, open: Open) => {
  test('keeps a note as it was before each change of its text, newest first, byte for byte', async () => {
    await using store = await open();
    const states = [await store.create(createDraft({ content: 'first' }))];
    for (const content of texts) states.push(await store.update(1, { content }));
    states.push(await store.update(1, { title: texts[0] ?? '', category: 'css', group: 'fifth', color: 'error' }));

    const versions = await collectEarlierVersions(store, 1);

    expect(versions).toEqual(states.slice(0, -1).toReversed());
    expect(await store.get(1)).toEqual(states.at(-1) as Note);
    expect(await getErrorCodeOrNoError(collectEarlierVersions(store, 7))).toBe('not_found');
  });

  test('keeps the newest hundred, and returns as many as asked for', async () => {
    await using store = await open();
    await store.create(createDraft());
    const states: Note[] = [];
    for (let n = 1; n <= 150; n++) states.push(await store.update(1, { title: `${n}` }));

    const newest = states.slice(0, -1).toReversed();
    expect(await collectEarlierVersions(store, 1)).toEqual(newest.slice(0, 100));
    expect(await collectEarlierVersions(store, 1, 3)).toEqual(newest.slice(0, 3));
  });

  test('keeps long versions', async () => {
    await using store = await open();
    const contents = ['x', 'é', '漢'].map((char) => char.repeat((700 * 1024) / Buffer.byteLength(char)));
    await store.create(createDraft());
    for (const content of contents) await store.update(1, { content });
    await store.update(1, { content: 'short' });

    const versions = await collectEarlierVersions(store, 1);

    expect(versions.map(({ content }) => Bun.hash(content))).toEqual(
      [...contents.toReversed(), createDraft().content].map((content) => Bun.hash(content)),
    );
  });
});

describe.each([
  ['SQLite', (maxVersions: number) => openSqlite({ path: ':memory:', maxVersions })],
  ['PostgreSQL', (maxVersions: number) => openEmptyPostgres({ maxVersions })],
])('%s', (_, open) => {
  test.each([0, 1, 3])('keeps at most %d versions as set, also of merged ones', async (max) => {
    await using store = await open(max);
    const states = [await store.create(createDraft())];
    for (let n = 1; n <= 5; n++) states.push(await store.update(1, { title: `${n}` }));
    const merged = Array.from({ length: 6 }, (_, n) =>
      createPortableNote(2, { title: `${n}`, updatedAt: new Date(Date.UTC(2030, 0, 1) + n).toISOString() }),
    );
    await store.merge(merged.slice(0, 3));
    await store.merge(merged.toReversed());

    expect(await collectEarlierVersions(store, 1)).toEqual(states.slice(0, -1).toReversed().slice(0, max));
    expect(await collectEarlierVersions(store, 2)).toEqual(merged.slice(0, -1).toReversed().slice(0, max));
    expect(await store.list()).toEqual([states.at(-1) as Note, merged.at(-1) as Note]);
  });
});
