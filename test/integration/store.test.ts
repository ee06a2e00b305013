/** The contract of every store (src/core/store.ts). */
import { describe, expect, test } from 'bun:test';
import { draft } from '../support/service.ts';
import { codeOf, stores } from '../support/stores/stores.ts';

describe.each(stores)('%s', (_, open) => {
  test('assigns ids from 1 without gaps, also to concurrent creates', async () => {
    await using store = await open();

    const notes = await Promise.all(Array.from({ length: 100 }, () => store.create(draft())));

    expect(notes.map((note) => note.id).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(await store.list()).toEqual(notes.toSorted((a, b) => a.id - b.id));
  });

  test('gives a new note equal times, and raises updatedAt by at least 1 ms within one millisecond', async () => {
    await using store = await open(() => 1_000_000);
    const note = await store.create(draft());

    const times = [note.updatedAt];
    for (const archived of [true, true, false]) times.push((await store.setArchived(note.id, archived)).updatedAt);
    times.push((await store.update(note.id, {})).updatedAt);

    expect(note.createdAt).toBe('1970-01-01T00:16:40.000Z');
    expect(times.map((time) => Date.parse(time))).toEqual([1_000_000, 1_000_001, 1_000_002, 1_000_003, 1_000_004]);
  });

  test('raises updatedAt when the clock steps back, and follows it again later', async () => {
    let now = 5_000;
    await using store = await open(() => now);
    const { id } = await store.create(draft());
    const times: number[] = [];

    for (now of [1_000, 0, 9_000]) times.push(Date.parse((await store.update(id, { title: String(now) })).updatedAt));

    expect(times).toEqual([5_001, 5_002, 9_000]);
  });

  test('writes under a condition only while it holds', async () => {
    await using store = await open();
    const first = await store.create(draft());
    const second = await store.update(first.id, { title: 'b' }, ['x', first.updatedAt]);

    expect(await codeOf(store.update(first.id, { title: 'c' }, [first.updatedAt]))).toBe('conflict');
    expect(await codeOf(store.setArchived(first.id, true, [first.updatedAt]))).toBe('conflict');
    expect(await codeOf(store.setArchived(first.id, true, []))).toBe('conflict');
    expect(await codeOf(store.update(7, {}, [first.updatedAt]))).toBe('not_found');
    expect(await store.get(first.id)).toEqual(second);
  });

  test('lets one of many conditional writes succeed', async () => {
    await using store = await open();
    const { id, updatedAt } = await store.create(draft());

    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => codeOf(store.update(id, { title: `${n}` }, [updatedAt]))),
    );

    expect(results.filter((result) => result === 'no error')).toHaveLength(1);
    expect(results.filter((result) => result === 'conflict')).toHaveLength(19);
  });

  test('keeps a text of a megabyte unchanged', async () => {
    await using store = await open();
    const content = 'aé漢👍\n"\\'.repeat(50_000);

    const { id } = await store.create(draft({ content }));

    expect((await store.get(id)).content === content).toBe(true);
    expect((await store.list())[0]?.content === content).toBe(true);
  });
});
