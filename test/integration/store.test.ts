/** The contract of every store (src/core/store.ts). */
import { describe, expect, test } from 'bun:test';
import { createDraft } from '../support/sample-notes.ts';
import { getErrorCodeOrNoError, stores } from '../support/stores/stores.ts';

describe.each(stores)('%s', (_, open) => {
  test('assigns ids from 1 without gaps, also to concurrent creates', async () => {
    await using store = await open();

    const notes = await Promise.all(Array.from({ length: 100 }, () => store.create(createDraft())));

    expect(notes.map((note) => note.id).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(await store.list()).toEqual(notes.toSorted((a, b) => a.id - b.id));
  });

  test('gives a new note equal times, and raises updatedAt by at least 1 ms, also when the clock stands or steps back', async () => {
    let now = 1_000_000;
    await using store = await open(() => now);
    const note = await store.create(createDraft());
    const times = [note.updatedAt];

    for (const archived of [true, true, false]) times.push((await store.setArchived(1, archived)).updatedAt);
    for (now of [1_000_000, 1_000, 2_000_000]) times.push((await store.update(1, { title: `${now}` })).updatedAt);

    expect(note.createdAt).toBe('1970-01-01T00:16:40.000Z');
    const after = times.map((time) => Date.parse(time) - 1_000_000);
    expect(after).toEqual([0, 1, 2, 3, 4, 5, 1_000_000]);
  });

  test('writes under a condition only while it holds', async () => {
    await using store = await open();
    const first = await store.create(createDraft());
    const second = await store.update(first.id, { title: 'b' }, ['x', first.updatedAt]);

    expect(await getErrorCodeOrNoError(store.update(first.id, { title: 'c' }, [first.updatedAt]))).toBe('conflict');
    expect(await getErrorCodeOrNoError(store.setArchived(first.id, true, [first.updatedAt]))).toBe('conflict');
    expect(await getErrorCodeOrNoError(store.setArchived(first.id, true, []))).toBe('conflict');
    expect(await getErrorCodeOrNoError(store.update(7, {}, [first.updatedAt]))).toBe('not_found');
    expect(await store.get(first.id)).toEqual(second);
  });

  test('lets one of many conditional writes succeed', async () => {
    await using store = await open();
    const { id, updatedAt } = await store.create(createDraft());

    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => getErrorCodeOrNoError(store.update(id, { title: `${n}` }, [updatedAt]))),
    );

    expect(results.filter((result) => result === 'no error')).toHaveLength(1);
    expect(results.filter((result) => result === 'conflict')).toHaveLength(19);
  });
});
