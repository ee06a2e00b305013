import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createDraft } from '../../../test/support/sample-notes.ts';
import type { NoteDraft } from '../../core/note.ts';
import { mergeDraftsKeepingBoth, mergeTextsKeepingBoth, tryMergeDrafts, tryMergeTexts } from './merge-drafts.ts';

/** One letter for each line. */
const lines = (letters: string) => [...letters].map((letter) => `${letter}\n`).join('');

const cases: readonly (readonly [
  name: string,
  base: string,
  mine: string,
  theirs: string,
  result: string | undefined,
])[] = [
  ['changes far apart', 'abcde', 'Abcde', 'abcdE', 'AbcdE'],
  ['an unchanged line between two changes', 'abc', 'Abc', 'abC', 'AbC'],
  ['several changes of both', 'abcdefgh', 'Abcdefg', 'abXdeh', undefined],
  ['several changes of both, apart', 'abcdefghi', 'Abcdefghi+', 'abCdEfghi', 'AbCdEfghi+'],
  ['lines added at the beginning and at the end', 'abc', '+abc', 'abc-', '+abc-'],
  ['lines removed and added elsewhere', 'abcde', 'acde', 'abcd+e', 'acd+e'],
  ['the same change of both', 'abc', 'aXc', 'aXc', 'aXc'],
  ['the same change of both beside another', 'abcde', 'aXcde', 'aXcdE', 'aXcdE'],
  ['the same line removed by both', 'abcde', 'acde', 'acdE', 'acdE'],
  ['only mine', 'abc', 'abX', 'abc', 'abX'],
  ['only theirs', 'abc', 'abc', 'abX', 'abX'],
  ['nothing changed', 'abc', 'abc', 'abc', 'abc'],
  ['all removed by mine, nothing by theirs', 'abc', '', 'abc', ''],
  ['an empty base, the same text', '', 'a', 'a', 'a'],
  ['an empty base, two texts', '', 'a', 'b', undefined],
  ['the same line', 'abc', 'aXc', 'aYc', undefined],
  ['neighbouring lines', 'abc', 'Xbc', 'aYc', undefined],
  ['lines added at the same place', 'ab', 'a+b', 'a-b', undefined],
  ['a line changed where the other adds one', 'abc', 'aXc', 'ab+c', undefined],
  ['a line changed that the other removes', 'abc', 'aXc', 'ac', undefined],
  ['lines added at the end by both', 'abc', 'abc+', 'abc-', undefined],
  ['all removed by one, a line changed by the other', 'abc', '', 'abX', undefined],
];

describe('two texts made from the same base', () => {
  test.each(cases)('%s', (_, base, mine, theirs, result) => {
    const expected = result === undefined ? undefined : lines(result);

    expect(tryMergeTexts(lines(base), lines(mine), lines(theirs))).toBe(expected);
    expect(tryMergeTexts(lines(base), lines(theirs), lines(mine))).toBe(expected);
  });

  test('are merged with their line ends, and without one at the end', () => {
    expect(tryMergeTexts('a\r\nb\r\nc', 'A\r\nb\r\nc', 'a\r\nb\r\nC')).toBe('A\r\nb\r\nC');
    expect(tryMergeTexts('a\nb\nc', 'a\nb\nc\n', 'A\nb\nc')).toBe('A\nb\nc\n');
  });

  test('of which one is the base give the other one, whatever they are', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (base, one, other) => {
        expect(tryMergeTexts(base, one, base)).toBe(one);
        expect(tryMergeTexts(base, base, one)).toBe(one);
        expect(tryMergeTexts(base, one, one)).toBe(one);
        expect(tryMergeTexts(base, one, other)).toBe(tryMergeTexts(base, other, one));
      }),
    );
  });
});

describe('two versions made from the same base', () => {
  const base = createDraft({ title: 'Soup', content: 'a\nb\nc\n', category: 'notes', color: 'info' });

  test('have the fields that only one has changed, and the lines of both', () => {
    const mine = { ...base, title: 'Stew', content: 'A\nb\nc\n' };
    const theirs = { ...base, color: 'error', content: 'a\nb\nC\n' } as const;

    expect(tryMergeDrafts(base, mine, theirs)).toEqual({
      ...base,
      title: 'Stew',
      color: 'error',
      content: 'A\nb\nC\n',
    });
  });

  test.each([
    ['title', 'Stew', 'Broth'],
    ['category', 'css', 'prompts'],
    ['group', 'second', 'third'],
    ['color', 'error', 'success'],
    ['content', 'X\nb\nc\n', 'Y\nb\nc\n'],
  ])('are not merged if both have changed the %s', (field, mine, theirs) => {
    expect(tryMergeDrafts(base, { ...base, [field]: mine }, { ...base, [field]: theirs })).toBeUndefined();
    expect(tryMergeDrafts(base, { ...base, [field]: mine }, { ...base, [field]: mine })).toMatchObject({
      [field]: mine,
    });
  });

  test('are merged into theirs if that has all changes of mine', () => {
    const mine = { ...base, content: 'A\nb\nc\n' };
    const theirs = { ...base, title: 'Stew', content: 'A\nb\nc\nd\n' };

    expect(tryMergeDrafts(base, mine, theirs)).toEqual(theirs);
  });
});

const keepingBothCases: readonly (readonly [
  name: string,
  base: string | undefined,
  mine: string,
  theirs: string,
  result: string,
])[] = [
  ['the same line', 'abc', 'aXc', 'aYc', 'aYXc'],
  ['the same line, and others that do not touch', 'abcdefg', 'AbcXefg', 'abcYefG', 'AbcYXefG'],
  ['neighbouring lines', 'abc', 'Xbc', 'aYc', 'aYXbc'],
  ['lines added at the same place', 'ab', 'a+b', 'a-b', 'a-+b'],
  ['lines added at the end', 'abc', 'abc+', 'abc-', 'abc-+'],
  ['a line that theirs removes', 'abc', 'aXc', 'ac', 'aXc'],
  ['a change of mine over two of theirs', 'abcde', 'aXYZe', 'aBcDe', 'aBcDXYZe'],
  ['the same change, and one that touches', 'abc', 'aXc+', 'aXc', 'aXc+'],
  ['without a base', undefined, 'aXcd', 'aYce', 'aYXced'],
];

describe('two texts that have changed the same', () => {
  test.each(keepingBothCases)('stand one after the other, theirs first: %s', (_, base, mine, theirs, result) => {
    const baseText = base === undefined ? undefined : lines(base);

    expect(mergeTextsKeepingBoth(baseText, lines(mine), lines(theirs))).toBe(lines(result));
  });

  test('are on lines of their own, also without a line end', () => {
    expect(mergeTextsKeepingBoth('tea', 'my tea', 'their tea')).toBe('their tea\nmy tea');
    expect(mergeTextsKeepingBoth(undefined, 'my tea', 'their tea')).toBe('their tea\nmy tea');
  });

  test('are merged as always where changes do not touch', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const merged = tryMergeTexts(base, mine, theirs);
        fc.pre(merged !== undefined);
        expect(mergeTextsKeepingBoth(base, mine, theirs)).toBe(merged ?? '');
      }),
    );
  });

  test('lose no line that one of them has written', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const before = new Set(['', ...base.split('\n')]);
        const merged = new Set(mergeTextsKeepingBoth(base, mine, theirs).split('\n'));
        const written = [...mine.split('\n'), ...theirs.split('\n')].filter((line) => !before.has(line));
        expect(written.filter((line) => !merged.has(line))).toEqual([]);
      }),
    );
  });
});

describe('two versions that have changed the same', () => {
  const base = createDraft({ title: 'Soup', content: 'a\n', category: 'notes', color: 'info', group: 'first' });
  const mine: NoteDraft = { ...base, title: 'Stew', content: 'mine\n', color: 'error' };
  const theirs: NoteDraft = { ...base, title: 'Broth', content: 'theirs\n', color: 'accent', group: 'second' };

  test('have both titles and texts, and my values', () => {
    expect(mergeDraftsKeepingBoth(base, mine, theirs)).toEqual({
      ...base,
      title: 'Broth / Stew',
      content: 'theirs\nmine\n',
      color: 'error',
      group: 'second',
    });
  });

  test('have what is the same once, also without a base', () => {
    expect(mergeDraftsKeepingBoth(undefined, mine, { ...theirs, title: 'Stew' })).toEqual({
      ...mine,
      content: 'theirs\nmine\n',
    });
  });
});
