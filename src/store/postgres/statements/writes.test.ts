import { describe, expect, test } from 'bun:test';
import { NoteError } from '../../../domain/error.ts';
import type { NoteDraft } from '../../../domain/note.ts';
import type { Write } from '../../engine.ts';
import { batchOf, countOfBatch, inlined } from './writes.ts';

const draft: NoteDraft = { title: 'a', content: 'b', category: 'css', group: 'first', color: 'info' };
const create = (changes: Partial<NoteDraft> = {}): Write => ({ kind: 'create', draft: { ...draft, ...changes } });
const change = (id: number, title = 'c', ifMatch?: readonly string[]): Write => ({
  kind: 'change',
  id,
  change: { title },
  ...(ifMatch && { ifMatch }),
});
const MB = 1024 * 1024;

describe('countOfBatch', () => {
  test.each<[string, readonly Write[], number]>([
    ['combines creates and changes', [create(), change(1), create(), change(2)], 4],
    ['stops before a note is changed again', [change(1), create(), change(2), change(1), change(3)], 3],
    [
      'stops before the statement is too long',
      [create({ content: 'x'.repeat(3 * MB) }), change(1), change(2, 'x'.repeat(MB))],
      2,
    ],
    ['accepts a single write that is too long', [create({ content: 'x'.repeat(9 * MB) }), create()], 1],
  ])('%s', (_, writes, expected) => {
    expect(countOfBatch(writes)).toBe(expected);
  });
});

describe('batchOf', () => {
  const rules = { now: null, onLocked: 'skip', maxVersions: 0 } as const;
  const changedRow = (id: number, title: string) => ({
    ...draft,
    id: String(id),
    title,
    archived: false,
    created_at: '1000',
    updated_at: '2000',
    is_new: false as const,
    is_busy: false,
  });
  const leftRow = (id: number, isBusy = false) => ({
    id: String(id),
    title: null,
    is_new: false as const,
    is_busy: isBusy,
  });
  const newRow = (id: number) => ({ id: String(id), updated_at: '2000', is_new: true as const });

  test('assigns outcomes to writes, in any order of rows', () => {
    const writes = [
      change(9),
      create({ title: 'first' }),
      change(7),
      change(8),
      create({ title: 'second' }),
      change(6),
    ];
    const { outcomes } = batchOf(writes, rules);

    const rows = [newRow(11), leftRow(8), newRow(10), leftRow(6, true), changedRow(9, 'c')];

    const [found, first, missing, moved, second, busy] = outcomes(rows);

    expect(found).toMatchObject({ id: 9, title: 'c', createdAt: '1970-01-01T00:00:01.000Z' });
    expect(first).toMatchObject({ id: 10, title: 'first', archived: false, updatedAt: '1970-01-01T00:00:02.000Z' });
    expect(second).toMatchObject({ id: 11, title: 'second' });
    expect([missing, moved, busy].every((outcome) => outcome instanceof NoteError)).toBe(true);
    expect([missing, moved, busy]).toMatchObject([{ code: 'not_found' }, { code: 'conflict' }, { code: 'busy' }]);
  });

  test('passes every text as a value, never as a part of the statement', () => {
    const text = `'"$1\\'); DROP TABLE notes; --`;

    const { statement, values } = batchOf([create({ title: text }), change(1, text)], rules);

    expect(statement).not.toContain('DROP');
    expect(values.filter((value) => String(value).includes('DROP'))).toHaveLength(2);
  });

  test('keeps a condition that can never hold, since it differs from none', () => {
    const { values } = batchOf([change(1, 'c', ['nonsense']), change(2, 'c', []), change(3)], rules);

    const changes: { id: number; if_match?: unknown }[] = JSON.parse(String(values[1]));
    expect(changes.map(({ if_match }) => if_match)).toEqual([[], [], undefined]);
  });
});

test('inlined quotes values so that no text can end the quotes', () => {
  const json = JSON.stringify({ title: "$$; DROP TABLE notes; --' $2 \\" });

  const statement = inlined('SELECT $1::text::json, $2, $3', [json, 5, null]);

  const [, quoted = '', rest] = /^SELECT \$\$([^$]*)\$\$(.*)$/.exec(statement) ?? [];
  expect(JSON.parse(quoted)).toEqual(JSON.parse(json));
  expect(rest).toBe('::text::json, 5, NULL');
});
