import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { draftFields, type NoteDraft } from '../domain/note.ts';
import { originKey, reconcile, takenOf, withOrigins } from './origin.ts';

const source = { title: 'Fix', content: 'a', category: 'editor-chats', group: 'first', color: 'accent' } as const;
const changed = (changes: Partial<NoteDraft>): NoteDraft => ({ ...source, ...changes });
const reconciled = (ours: Partial<NoteDraft>, theirs: Partial<NoteDraft>) =>
  reconcileWith(changed(ours), changed(theirs), source);

async function reconcileWith(ours: NoteDraft, theirs: NoteDraft, last: NoteDraft) {
  const [taken, changed, there] = await Promise.all([ours, theirs, last].map(takenOf));
  return reconcile(ours, theirs, { ours: taken ?? '', theirs: changed ?? '', last: there ?? '' });
}

describe('reconcile', () => {
  test.each<[string, Partial<NoteDraft>, Partial<NoteDraft>, Partial<NoteDraft>, readonly string[]]>([
    ['nothing was changed', {}, {}, {}, []],
    ['the source has grown', {}, { content: 'a b' }, { content: 'a b' }, []],
    ['the note was renamed', { title: 'Mine' }, {}, { title: 'Mine' }, []],
    [
      'the note was renamed and the source has grown',
      { title: 'Mine' },
      { content: 'a b' },
      { title: 'Mine', content: 'a b' },
      [],
    ],
    ['both were changed alike', { content: 'a b' }, { content: 'a b' }, { content: 'a b' }, []],
    ['both were changed', { content: 'mine' }, { content: 'a b' }, { content: 'mine' }, ['content']],
    [
      'some fields diverge and others do not',
      { title: 'Mine', color: 'info' },
      { title: 'Theirs', content: 'a b' },
      { title: 'Mine', color: 'info', content: 'a b' },
      ['title'],
    ],
  ])('%s', async (_, ours, theirs, fields, diverged) => {
    expect(await reconciled(ours, theirs)).toEqual({ fields: changed(fields), diverged: diverged as never });
  });

  test('per field, a change on one side wins, and ours wins a reported divergence', async () => {
    const draft = fc.record({
      title: fc.constantFrom('a', 'b', 'c'),
      content: fc.constantFrom('a', 'b', 'c'),
      category: fc.constantFrom('css', 'notes', 'prompts'),
      group: fc.constantFrom('first', 'second', 'third'),
      color: fc.constantFrom('info', 'error', 'accent'),
    }) as fc.Arbitrary<NoteDraft>;
    await fc.assert(
      fc.asyncProperty(draft, draft, draft, async (base, ours, theirs) => {
        const { fields, diverged } = await reconcileWith(ours, theirs, base);
        for (const field of draftFields) {
          const isDiverged = new Set([base[field], ours[field], theirs[field]]).size === 3;
          expect(diverged.includes(field)).toBe(isDiverged);
          expect(fields[field]).toBe(ours[field] === base[field] ? theirs[field] : ours[field]);
        }
      }),
    );
  });
});

test('an empty name, or one that is too long, has no key', () => {
  expect(originKey('chatgpt', 'x')).toBe('chatgpt:x');
  expect(originKey('file', '/'.repeat(500))).toBeUndefined();
  expect(originKey('claude', '')).toBeUndefined();
});

test('notes are joined with their origins, and origins of other notes are skipped', async () => {
  async function* batches<Value>(...all: Value[][]) {
    yield* all;
  }
  const origin = (id: number) => ({ id, key: `k${id}`, taken: 't' });

  const joined = await Array.fromAsync(
    withOrigins(
      batches([{ id: 2 }, { id: 3 }], [], [{ id: 7 }]),
      batches([origin(1), origin(3)], [origin(5), origin(7)]),
    ),
  );

  const kept = (id: number) => ({ id, origin: { key: `k${id}`, taken: 't' } });
  expect(joined.flat()).toEqual([{ id: 2 }, kept(3), kept(7)]);
});
