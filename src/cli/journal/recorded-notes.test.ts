import { expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { draft, portableNote, temporaryFolder } from '../../../test/support/service.ts';
import { openFile } from '../../../test/support/stores/open-file.ts';
import type { PortableNote } from '../../domain/note.ts';
import type { PortableStore } from '../../domain/store.ts';
import { draftOf, versionAt } from '../../domain/versions.ts';
import type { Write } from './journal.ts';
import { RecordedNotes } from './recorded-notes.ts';

const id = fc.integer({ min: 1, max: 3 });
const title = fc.constantFrom('a', 'b', 'c');
const archived = fc.boolean();
const updatedAt = fc.integer({ min: 1, max: 4 }).map((ms) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString());
const merged = fc
  .record({ id: fc.constantFrom(null, 1, 2, 3, 101, 102), title, archived, updatedAt })
  .map(({ id, ...changes }): PortableNote => {
    const { id: _, ...note } = portableNote(1, changes);
    return id === null ? { ...note, title: 'new' } : { ...note, id };
  });

/** What commands do with notes. */
const anyAct = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), title }),
  fc.record({ kind: fc.constant('update' as const), id, title }),
  fc.record({ kind: fc.constant('archive' as const), id, archived }),
  fc.record({ kind: fc.constant('merge' as const), notes: fc.array(merged, { maxLength: 3 }) }),
);
type Act = typeof anyAct extends fc.Arbitrary<infer One> ? One : never;

async function perform(act: Act, notes: RecordedNotes): Promise<void> {
  if (act.kind === 'create') await notes.create(draft({ title: act.title }));
  if (act.kind === 'merge') await notes.merge(act.notes);
  if (act.kind === 'archive') await notes.setArchived(await notes.get(act.id), act.archived);
  if (act.kind !== 'update') return;
  const note = await notes.get(act.id);
  if (note.title !== act.title) await notes.update(note, { title: act.title });
}

/** All notes by id. */
const notesIn = async (store: PortableStore) => new Map((await store.list()).map((note) => [note.id, note]));

test('a command records each note that it changes, so that its earlier state can be restored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { maxLength: 5 }), async (acts) => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'notes.db');
      const writes: Write[] = [];
      const recorded = new RecordedNotes(await openFile(path), (all) => writes.push(...all));
      await recorded.store.merge([1, 2, 3].map((id) => portableNote(id, { archived: id === 3 })));
      const before = await notesIn(recorded.store);

      for (const act of acts) await perform(act, recorded);
      await recorded[Symbol.asyncDispose]();

      await using store = await openFile(path);
      const after = await notesIn(store);
      const written = new Map(writes.map((write) => [write.id, write]));
      for (const [id, now] of after) {
        const [old, write] = [before.get(id), written.get(id)];
        if (old === undefined) expect(write?.isNew === true || now.archived).toBe(true);
        else if (write === undefined) expect({ ...now, updatedAt: '' }).toEqual({ ...old, updatedAt: '' });
        else {
          const text = write.before === undefined ? now : await versionAt(store, id, write.before);
          expect(text && draftOf(text)).toEqual(draftOf(old));
          expect(write.archived ?? now.archived).toBe(old.archived);
        }
        if (write !== undefined) expect(write.after).toBe(now.updatedAt);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);

const time = (ms: number) => new Date(Date.UTC(2021, 0, 1) + ms).toISOString();
const imported = (id: number, title: string, ms: number, archived = false) =>
  portableNote(id, { title, archived, createdAt: time(0), updatedAt: time(ms) });

test.each([
  [
    'archived twice, since it was active',
    async (notes: RecordedNotes) => {
      const note = await notes.get(1);
      await notes.setArchived(note, true);
      await notes.setArchived(await notes.get(1), true);
    },
    { id: 1, archived: false },
  ],
  [
    'added and replaced by one import, as new',
    async (notes: RecordedNotes) => {
      await notes.merge([imported(4, 'archived', 1, true), imported(4, 'active', 2)]);
    },
    { id: 4, isNew: true, archived: true },
  ],
  [
    'added without id and replaced by its id, as new',
    async (notes: RecordedNotes) => {
      const { id: _, ...added } = imported(4, 'added', 1);
      await notes.merge([added]);
      await notes.merge([imported(4, 'replaced', 2)]);
    },
    { id: 4, isNew: true, archived: true },
  ],
])('a note is recorded once if it is %s', async (_, act, write) => {
  using folder = temporaryFolder();
  const writes: Write[] = [];
  const recorded = new RecordedNotes(await openFile(join(folder.path, 'notes.db')), (all) => writes.push(...all));
  await recorded.store.merge([1, 2, 3].map((id) => portableNote(id)));

  await act(recorded);
  const { updatedAt: after } = await recorded.get(write.id);
  await recorded[Symbol.asyncDispose]();

  expect(writes).toEqual([{ ...write, after }]);
});
