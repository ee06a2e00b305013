/**
 * The contract of every store for finding notes by the times of their creation (src/core/store.ts:
 * `readCreatedNotesPage`).
 */
import { describe, expect, test } from 'bun:test';
import { maxCreated, titleStartLength } from '../../src/core/store.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { stores } from '../support/stores/stores.ts';

const time = (ms: number) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString();
const createdAt = (id: number, ms: number, title = 'A title') =>
  createPortableNote(id, { title, createdAt: time(ms), updatedAt: time(ms + 1) });

describe.each(stores)('%s', (_, open) => {
  test('finds the notes created at one of some times, archived ones too, with the beginnings of their titles', async () => {
    await using store = await open();
    const long = '漢👍'.repeat(titleStartLength);
    await store.merge([createdAt(1, 0), createdAt(2, 1), createdAt(3, 2, long), createdAt(4, 0)]);
    await store.setArchived(4, true);
    const { category } = createdAt(1, 0);

    expect(await store.readCreatedNotesPage([time(2), time(0)], 0)).toEqual([
      { id: 1, titleStart: 'A title', category, createdAt: time(0) },
      { id: 3, titleStart: '漢👍'.repeat(titleStartLength / 2), category, createdAt: time(2) },
      { id: 4, titleStart: 'A title', category, createdAt: time(0) },
    ]);
    expect((await store.readCreatedNotesPage([time(2), time(0)], 1)).map(({ id }) => id)).toEqual([3, 4]);
    expect(await store.readCreatedNotesPage([time(9)], 0)).toEqual([]);
    expect(await store.readCreatedNotesPage([], 0)).toEqual([]);
  });

  test(`finds the first ${maxCreated.notes} of more`, async () => {
    await using store = await open();
    const notes = Array.from({ length: maxCreated.notes + 2 }, (_, n) => createdAt(n + 1, 0));
    await store.merge(notes);

    const first = await store.readCreatedNotesPage([time(0)], 0);
    const rest = await store.readCreatedNotesPage([time(0)], first.at(-1)?.id ?? 0);

    expect([...first, ...rest].map(({ id }) => id)).toEqual(notes.map(({ id }) => id));
  });
});
