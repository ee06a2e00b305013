import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { NoteDraft } from '../../core/note.ts';
import { merged, mergedText } from './three-way-merge.ts';

const base: NoteDraft = { title: 'T', content: 'a\nb\nc\nd\n', category: 'css', group: 'first', color: 'info' };

describe('two versions of a note', () => {
  test.each<[string, Partial<NoteDraft>, Partial<NoteDraft>]>([
    ['different fields', { title: 'Mine' }, { content: 'theirs', color: 'error' }],
    ['the same field alike', { title: 'Same', group: 'second' }, { title: 'Same', content: 'theirs' }],
    ['one side only', {}, { title: 'Theirs' }],
  ])('that changed %s have both changes', (_, mine, theirs) => {
    const both = merged({ base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } });

    expect(both).toEqual({ ...base, ...mine, ...theirs });
  });

  test.each<[string, Partial<NoteDraft>, Partial<NoteDraft>]>([
    ['title', { title: 'Mine' }, { title: 'Theirs' }],
    ['color', { color: 'error' }, { color: 'warning' }],
    ['line', { content: 'a\nmine\nc\nd\n' }, { content: 'a\ntheirs\nc\nd\n' }],
  ])('that changed the same %s are not merged', (_, mine, theirs) => {
    expect(merged({ base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } })).toBeUndefined();
  });
});

describe('two versions of a text', () => {
  test.each([
    ['a line each', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n', 'A\nb\nc\nD\n'],
    ['a line added, another removed', 'new\na\nb\nc\nd\n', 'a\nb\nd\n', 'new\na\nb\nd\n'],
    ['the same line, alike', 'a\nB\nc\nd\n', 'a\nB\nc\nD\n', 'a\nB\nc\nD\n'],
    ['lines beside each other', 'a\nB\nc\nd\n', 'a\nb\nC\nd\n', undefined],
    ['lines added at the same place', 'a\nb\nc\nd\nmine\n', 'a\nb\nc\nd\ntheirs\n', undefined],
  ])('%s', (_, mine, theirs, both) => {
    expect(mergedText(base.content, mine, theirs)).toBe(both);
  });

  const text = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n'), { maxLength: 12 }).map((parts) => parts.join(''));

  test('merge alike from either side, and take the only change', () => {
    fc.assert(
      fc.property(text, text, text, (before, one, other) => {
        expect(mergedText(before, one, other)).toBe(mergedText(before, other, one));
        expect(mergedText(before, one, before)).toBe(one);
        expect(mergedText(before, one, one)).toBe(one);
      }),
    );
  });
});
