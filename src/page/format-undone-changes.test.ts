import { expect, test } from 'bun:test';
import { createPortableNote } from '../../test/support/sample-notes.ts';
import type { Note } from '../core/note.ts';
import { formatUndoneChanges } from './format-undone-changes.ts';

const note: Note = { ...createPortableNote(1), title: 'Tea', color: 'info', archived: false };

const cases: readonly (readonly [changes: Parameters<typeof formatUndoneChanges>[0], text: string])[] = [
  [[{ before: note, after: { ...note, color: 'error' } }], 'Undone: color of “Tea”'],
  [[{ before: note, after: { ...note, title: 'Tee', content: 'new' } }], 'Undone: title, text of “Tea”'],
  [[{ before: note, after: { ...note, archived: true } }], 'Undone: archiving of “Tea”'],
  [[{ before: { ...note, archived: true }, after: note }], 'Undone: unarchiving of “Tea”'],
];

test.each(cases)('what was undone is said before the title: %#', (changes, text) => {
  expect(formatUndoneChanges(changes, '“Tea”')).toBe(text);
});

test('a field that was changed back in many notes is said once', () => {
  const change = { before: note, after: { ...note, color: 'error' } } as const;

  expect(formatUndoneChanges([change, change], '2 notes')).toBe('Undone: color of 2 notes');
});
