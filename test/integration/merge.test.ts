/** The contract of every store for notes from elsewhere (src/core/store.ts: `scan`, `merge`). */
import { describe, expect, test } from 'bun:test';
import type { Note } from '../../src/core/note.ts';
import type { PortableStore } from '../../src/core/store.ts';
import { copyWithoutId, createDraft, createPortableNote } from '../support/sample-notes.ts';
import { getErrorCodeOrNoError, listOutcomes, stores } from '../support/stores/stores.ts';

const time = '2020-01-01T00:00:00.001Z';
const later = '2020-01-01T00:00:00.002Z';

const kept = (id: number, changes: Partial<Note> = {}) => createPortableNote(id, { updatedAt: time, ...changes });

async function scanned(store: PortableStore): Promise<Note[]> {
  const notes: Note[] = [];
  for await (const some of store.scan()) notes.push(...some);
  return notes;
}

describe.each(stores)('%s', (_, open) => {
  test('gives notes without an id, and those created next, ids above all merged ones', async () => {
    await using store = await open();
    const high = 2 ** 40;

    await store.merge([copyWithoutId(kept(0, { title: 'First' })), kept(1), kept(high), copyWithoutId(kept(0))]);
    const { id } = await store.create(createDraft());

    const titles = (await store.list()).map((note) => [note.id, note.title]);
    expect(titles).toEqual([
      [1, 'A title'],
      [high, 'A title'],
      [high + 1, 'First'],
      [high + 2, 'A title'],
      [high + 3, 'A title'],
    ]);
    expect(id).toBe(high + 3);
  });

  test('shows merged notes in every list at once', async () => {
    await using store = await open();
    await store.merge([kept(5, { category: 'css' }), kept(9, { archived: true })]);
    const filters = [{}, { category: 'css' }, { archived: true }, { group: 'first', archived: false }] as const;
    for (const filter of filters) await store.list(filter);

    await store.merge([kept(9, { category: 'css', updatedAt: later }), kept(2, { archived: true }), kept(7)]);

    const ids = await Promise.all(filters.map(async (filter) => (await store.list(filter)).map((note) => note.id)));
    expect(ids).toEqual([[2, 5, 7, 9], [5, 9], [2], [5, 7, 9]]);
  });

  test('merges nothing when one of the notes is invalid', async () => {
    await using store = await open();
    await store.merge([kept(1)]);
    const empty = kept(3, { content: '' });

    const code = await getErrorCodeOrNoError(
      store.merge([kept(1, { title: 'b', updatedAt: later }), kept(2), empty, kept(4)]),
    );

    expect(['internal', 'invalid']).toContain(code);
    expect(await store.list()).toEqual([kept(1)]);
    expect(await store.merge([kept(2)])).toEqual([{ outcome: 'added', id: 2 }]);
  });

  test('keeps notes of a megabyte and 3,000 small ones unchanged', async () => {
    await using store = await open();
    const content = 'aé漢👍\n"\\\'$$\u2028'.repeat(40_000);
    const notes = [kept(1, { content }), kept(2, { content }), ...Array.from({ length: 3_000 }, (_, n) => kept(n + 3))];

    const outcomes = await store.merge(notes);

    expect(outcomes).toEqual(notes.map(({ id }) => ({ outcome: 'added', id })));
    expect(Bun.deepEquals(await scanned(store), notes)).toBe(true);
    expect(await store.merge(notes)).toEqual(notes.map(({ id }) => ({ outcome: 'unchanged', id })));
  });

  test('gives unique ids to notes merged and created concurrently, and loses none', async () => {
    await using store = await open();
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 50 }, (_, n) => kept(1 + batch * 10 + n * 7, { title: `Merged ${batch}` })),
    );

    const [created, outcomes] = await Promise.all([
      Promise.all(
        Array.from({ length: 600 }, async (_, n) => {
          await Bun.sleep(n / 10);
          return store.create(createDraft({ title: `Created ${n}` }));
        }),
      ),
      Promise.all(batches.map((notes) => store.merge(notes))),
    ]);

    const listed = await store.list();
    const byId = new Map(listed.map((note) => [note.id, note]));
    expect(new Set(created.map((note) => note.id)).size).toBe(600);
    for (const note of created) expect(byId.get(note.id)).toEqual(note);
    expect(listed.length).toBe(600 + outcomes.flat().filter(({ outcome }) => outcome === 'added').length);
    expect(listOutcomes(outcomes.flat())).not.toContain('updated');
  });

  test('keeps the latest version of a note from many concurrent merges', async () => {
    await using store = await open();
    const versions = Array.from({ length: 20 }, (_, n) =>
      [3, 1, 2].map((id) => kept(id, { title: `${n}`, updatedAt: new Date(Date.parse(time) + n).toISOString() })),
    );

    const outcomes = await Promise.all(versions.map((notes) => store.merge(notes)));

    expect((await store.list()).map((note) => note.title)).toEqual(['19', '19', '19']);
    for (const place of [0, 1, 2]) expect(outcomes.filter((one) => one[place]?.outcome === 'added')).toHaveLength(1);
  });
});
