import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { isEventuallyTrue } from '../../../../test/support/eventually.ts';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openFile } from '../../../../test/support/stores/open-file.ts';
import { LazyStore } from './lazy-store.ts';

/** A lazy store on a file, and how often the file has been opened and closed. */
function lazyFile() {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  const counts = { opened: 0, closed: 0 };
  const lazy = new LazyStore(async () => {
    const store = await openFile(path);
    counts.opened++;
    const close = store[Symbol.asyncDispose].bind(store);
    return Object.assign(store, {
      async [Symbol.asyncDispose]() {
        await Bun.sleep(10); // longer than a file takes: opening it meanwhile finds it in use
        await close();
        counts.closed++;
      },
    });
  });
  return { lazy, counts, path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test('nothing is opened before the first use, and the file is free after the last', async () => {
  using file = lazyFile();
  expect(file.counts.opened).toBe(0);

  await file.lazy.use((store) => store.create(createDraft()));

  await isEventuallyTrue(() => file.counts.closed === 1);
  await using other = await openFile(file.path);
  expect(await other.list()).toHaveLength(1);
});

test('concurrent uses share one opening, and later ones open it anew, once it is closed', async () => {
  using file = lazyFile();
  {
    await using lazy = file.lazy;
    await Promise.all(Array.from({ length: 5 }, () => lazy.use((store) => store.create(createDraft()))));
    expect(file.counts.opened).toBe(1);

    expect(await lazy.use((store) => store.get(5))).toMatchObject({ id: 5 });
  }
  expect(file.counts).toEqual({ opened: 2, closed: 2 });
});
