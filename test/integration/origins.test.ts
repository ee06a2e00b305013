/** The contract of every store for origins of notes (src/core/store.ts: `merge`, `readOriginsPage`). */
import { describe, expect, test } from 'bun:test';
import type { Note, Origin, PortableNote } from '../../src/core/note.ts';
import { maxOrigins, type PortableStore } from '../../src/core/store.ts';
import { createNoteFingerprint, streamOriginBatches } from '../../src/formats/origin.ts';
import { copyWithoutId, createPortableNote } from '../support/sample-notes.ts';
import { getErrorCodeOrNoError, listOutcomes, stores } from '../support/stores/stores.ts';

const taken = await createNoteFingerprint(createPortableNote(1));
const origin = (key: string): Origin => ({ key, taken });
const kept = (id: number, changes: Partial<PortableNote> = {}) => ({ ...createPortableNote(id), ...changes });
const isNew = (key: string): PortableNote => ({ ...copyWithoutId(createPortableNote(1)), origin: origin(key) });

const readOrigins = async (store: PortableStore) => (await Array.fromAsync(streamOriginBatches(store))).flat();

describe.each(stores)('%s', (_, open) => {
  test('keeps the origin of an added note, without showing it in the note', async () => {
    await using store = await open();
    const key = `obsidian:it's \\ $1 $$/漢👍.md`;

    const outcomes = await store.merge([kept(3, { origin: origin(key) }), isNew('b'), isNew('c')]);

    expect(outcomes.map(({ id }) => id)).toEqual([3, 4, 5]);
    expect(await readOrigins(store)).toEqual([
      { id: 3, ...origin(key) },
      { id: 4, ...origin('b') },
      { id: 5, ...origin('c') },
    ]);
    expect((await store.list()).filter((note) => 'origin' in note)).toEqual([]);
    expect(await store.merge([isNew(key)])).toEqual([{ outcome: 'left', id: 3 }]);
  });

  test('two notes never have one origin: the first keeps it', async () => {
    await using store = await open();
    await store.merge([kept(1, { origin: origin('a') })]);

    const notes = [isNew('a'), kept(2, { origin: origin('a') }), isNew('b'), isNew('b'), isNew('c')];
    const tried = await store.merge(notes, { dryRun: true });
    const outcomes = await store.merge(notes);

    expect(listOutcomes(outcomes)).toEqual(['left', 'added', 'added', 'left', 'added']);
    expect(tried).toEqual([
      { outcome: 'left', id: 1 },
      { outcome: 'added', id: 2 },
      { outcome: 'added' }, // its id is not known yet
      { outcome: 'left' },
      { outcome: 'added' },
    ]);
    expect((await readOrigins(store)).map(({ id, key }) => [id, key])).toEqual([
      [1, 'a'],
      [3, 'b'],
      [4, 'c'],
    ]);
  });

  test('updates `taken` with a note that stays or is replaced, and not with an outdated one', async () => {
    await using store = await open();
    const later = { updatedAt: '2020-01-01T00:00:00.002Z' };
    const withTaken = (title: string) => ({ origin: { key: 'a', taken: taken.replace(/\S+$/, title) } });
    const takenNow = async () => (await readOrigins(store)).map((one) => one.taken);
    await store.merge([kept(1)]);

    for (const [note, outcome] of [
      [kept(1, withTaken('same')), 'unchanged'],
      [kept(1, { ...later, title: 'new', ...withTaken('replaced') }), 'updated'],
    ] as const) {
      expect(await store.merge([note], { dryRun: true })).toEqual([{ outcome, id: 1 }]);
      expect(await takenNow()).not.toContain(note.origin?.taken ?? '');
      expect(await store.merge([note])).toEqual([{ outcome, id: 1 }]);
      expect(await takenNow()).toEqual([note.origin?.taken ?? '']);
    }
    await store.merge([kept(1, { title: 'old', ...withTaken('old') })]);
    expect(await takenNow()).toEqual([withTaken('replaced').origin.taken]);
  });

  test('stores neither note nor origin when one of the notes is invalid', async () => {
    await using store = await open();

    expect(
      await getErrorCodeOrNoError(store.merge([isNew('a'), kept(2, { color: 'none' as Note['color'] })])),
    ).not.toBe('no error');

    expect([await store.list(), await readOrigins(store)]).toEqual([[], []]);
  });

  test(`returns more than ${maxOrigins} origins, in ascending order of id`, async () => {
    await using store = await open();
    const notes = Array.from({ length: maxOrigins + 2 }, (_, n) => kept(n + 1, { origin: origin(`k${n}`) }));

    await store.merge(notes);

    expect((await readOrigins(store)).map(({ id }) => id)).toEqual(notes.map(({ id }) => id));
  });
});
