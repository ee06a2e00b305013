import { expect, test } from 'bun:test';
import { draft } from '../../../../test/support/service.ts';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import type { Note } from '../../../domain/note.ts';
import type { PortableStore } from '../../../domain/store.ts';
import { openSqlite } from '../../../store/sqlite/open.ts';
import type { Write } from '../../journal/journal.ts';
import { planOf, printPlan } from './plan.ts';

const open = () => openSqlite({ path: ':memory:' });

/** Changes the title of a note, as `notes edit` does and records it. */
async function retitle(store: PortableStore, { id, updatedAt: before }: Note, title: string): Promise<Write> {
  const { updatedAt: after } = await store.update(id, { title });
  return { id, before, after };
}

/** What is printed about undoing these writes. */
async function printed(writes: readonly Write[], store: PortableStore): Promise<string> {
  const io = keptIo();
  const entry = { command: 'edit', place: '', at: Date.UTC(2026, 0, 2), count: writes.length, writes };
  printPlan({ ...(await planOf(writes, store)), entry }, io);
  return io.stderr.text;
}

test('a changed text is shown with its fields and lines, and nothing is changed by the plan', async () => {
  await using store = await open();
  const note = await store.create(draft({ title: 'Old', content: 'one\ntwo' }));
  const { updatedAt: after } = await store.update(note.id, { title: 'New', content: 'one\nthree' });
  const before = await store.list();

  const text = await printed([{ id: note.id, before: note.updatedAt, after }], store);

  expect(text).toMatch(/^"notes edit" of .* wrote 1 note\. To undo it:\n {2}1 {2}New: title, content \+1 −1\n$/);
  expect(await store.list()).toEqual(before);
});

test.each<[string, Partial<Write>, string]>([
  ['archived', { archived: false }, 'bring back'],
  ['brought back', { archived: true }, 'archive'],
  ['added', { archived: true, isNew: true }, 'archive what was added'],
])('a note that was %s', async (_, write, words) => {
  await using store = await open();
  const { id, updatedAt: after } = await store.create(draft({ title: 'A' }));

  expect(await printed([{ id, after, ...write }], store)).toEndWith(`  ${id}  A: ${words}\n`);
});

test('a note that is gone, has changed since, or has lost its earlier text stays as it is', async () => {
  await using store = await open();
  const [first, second] = [await store.create(draft()), await store.create(draft())];
  const changed = await retitle(store, first, 'New');
  await store.update(first.id, { title: 'Newer' });
  const { after } = await retitle(store, second, 'New');
  const lost = { id: second.id, before: '2020-01-01T00:00:00.000Z', after };
  const gone = { id: 99, after };

  const { steps, kept } = await planOf([changed, lost, gone], store);

  expect(steps).toEqual([]);
  expect(kept).toEqual([
    { id: 1, reason: 'has changed since' },
    { id: 2, reason: 'has no earlier text in its history' },
    { id: 99, reason: 'no longer exists' },
  ]);
  expect(await printed([changed, lost, gone], store)).toContain('wrote 3 notes.\nThese stay as they are:\n  1  has');
});

test('only the first of many notes are named, and all can be undone', async () => {
  await using store = await open();
  const notes: Note[] = [];
  for (let n = 1; n <= 12; n++) notes.push(await store.create(draft({ title: `Title ${n}` })));
  const writes = notes.map(({ id, updatedAt: after }) => ({ id, after, archived: true, isNew: true }));

  const text = await printed(writes, store);

  expect(text).toContain('  10  Title 10: archive what was added\n  and 2 more\n');
  expect(text).not.toContain('Title 11');
  const { steps } = await planOf(writes, store);
  expect(steps.map(({ write }) => write)).toEqual(writes);
  expect(steps.filter(({ shown }) => shown !== undefined)).toHaveLength(10);
});

test('a title cannot write to the terminal', async () => {
  await using store = await open();
  const { id, updatedAt: after } = await store.create(draft({ title: 'a\x1b[2Jb' }));

  expect(await printed([{ id, after, archived: true }], store)).not.toContain('\x1b');
});
