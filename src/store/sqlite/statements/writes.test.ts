import { expect, test } from 'bun:test';
import { draft } from '../../../../test/support/service.ts';
import type { Write } from '../../engine.ts';
import { openDatabase } from '../file/database.ts';
import { readNote } from './newest.ts';
import { prepareVersions } from './versions.ts';
import { prepareWrites } from './writes.ts';

function open() {
  const { db, resources } = openDatabase({ path: ':memory:', isChecked: false });
  const write = prepareWrites(db, prepareVersions(db, 10));
  return { db, write, [Symbol.dispose]: () => resources[Symbol.dispose]() };
}

const create = (title: string): Write => ({ kind: 'create', draft: draft({ title }) });
const change = (title: string, ifMatch?: readonly string[]): Write => ({
  ...{ kind: 'change', id: 1, change: { title } },
  ...(ifMatch && { ifMatch }),
});

test('updatedAt rises with each change, also of nothing, by a clock that stands still or goes back', () => {
  using opened = open();
  opened.write(create('a'), 1_000);

  const times = [1_000, 500, 2_000].map((at) => {
    const effect = opened.write(change('b'), at);
    return 'note' in effect ? Date.parse(effect.note.updatedAt) : effect;
  });

  expect(times).toEqual([1_001, 1_002, 2_000]);
  expect(readNote(opened.db, 1)).toMatchObject({
    createdAt: '1970-01-01T00:00:01.000Z',
    updatedAt: '1970-01-01T00:00:02.000Z',
  });
});

test('a change is made if the note has one of the expected times', () => {
  using opened = open();
  opened.write(create('a'), 1_000);
  const [then, other] = ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:09.000Z'];

  expect(opened.write(change('b', []), 2_000)).toMatchObject({ error: { code: 'conflict' } });
  expect(opened.write(change('c', [other]), 2_000)).toMatchObject({ error: { code: 'conflict' } });
  expect(readNote(opened.db, 1)).toMatchObject({ title: 'a', updatedAt: then });
  expect(opened.write(change('d', [other, then]), 2_000)).toMatchObject({ note: { title: 'd' } });
});

test('a write that a trigger refuses leaves the others of its transaction', () => {
  using opened = open();
  opened.db.run(`CREATE TRIGGER no BEFORE INSERT ON notes WHEN NEW.title = 'b'
    BEGIN SELECT RAISE(ABORT, 'not today'); END`);
  opened.db.run('BEGIN');

  const effects = ['a', 'b', 'c'].map((title) => opened.write(create(title), 0));
  opened.db.run('COMMIT');

  expect(effects).toMatchObject([{ id: 1 }, { error: { code: 'internal', outcome: 'none' } }, { id: 2 }]);
  expect([1, 2, 3].map((id) => readNote(opened.db, id)?.title)).toEqual(['a', 'c', undefined]);
});
