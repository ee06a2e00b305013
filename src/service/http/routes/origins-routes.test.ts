import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../../test/support/sample-notes.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { createNoteFingerprint } from '../../../formats/origin.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const taken = await createNoteFingerprint(createPortableNote(1));

/** An application with notes 1 to 3, of which 1 and 3 were imported from files. */
async function open() {
  const store = await openSqlite({ path: ':memory:' });
  const from = (key: string) => ({ origin: { key, taken } });
  await store.merge([
    { ...createPortableNote(1), ...from('a') },
    createPortableNote(2),
    { ...createPortableNote(3), ...from('b') },
  ]);
  return callApp(store);
}

test.each([
  ['', [1, 3]],
  ['?after=1&unknown=x', [3]],
  ['?after=3', []],
])('GET /origins%s returns those of the notes %j', async (query, ids) => {
  await using app = await open();

  const response = await app.request(`/origins${query}`);

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const origins = (await response.json()) as { readonly id: number }[];
  expect(origins.map(({ id }) => id)).toEqual(ids);
  if (ids.includes(1)) expect(origins[0]).toEqual({ id: 1, key: 'a', taken } as never);
});

test.each(['after=', 'after=-1', 'after=1&after=2'])('%s is rejected', async (query) => {
  await using app = await open();

  const response = await app.request(`/origins?${query}`);

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringMatching(/^Invalid after\. /) });
});
