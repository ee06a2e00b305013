import { expect, test } from 'bun:test';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { createStyleForOutput } from '../terminal/style.ts';
import { diffLinesAndCountChanges, formatColoredDiff } from './version-diff.ts';

const output = (isTTY: boolean) => ({ isTTY, write: () => true });
const plain = { style: createStyleForOutput(output(false), {}), isTerminal: false };
const colored = { style: createStyleForOutput(output(true), {}), isTerminal: true };

const changes = (before: string, after: string) =>
  diffLinesAndCountChanges({ name: 'before', time: '1', text: before }, { name: 'after', time: '2', text: after });

/** A final line break makes no further line. */
const countLines = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** Few different lines, so that many are equal, with signs that a diff has too. */
const anyText = fc
  .array(fc.constantFrom('a', 'b', '', '-', '+a', '@@ -1 +1 @@', '\\ No newline', 'x\r'), {
    minLength: 1,
    maxLength: 9,
  })
  .map((lines) => lines.join('\n'))
  .filter((text) => text !== '');

test('a diff applied to the earlier text gives the later one, and counts its lines', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const found = changes(before, after);

      const { added, removed } = found;
      expect(applyPatch(before, formatColoredDiff(found, plain))).toBe(after);
      expect(added - removed).toBe(countLines(after) - countLines(before));
      expect(removed).toBeLessThanOrEqual(countLines(before));
      if (before === after) expect(formatColoredDiff(found, plain)).toBe('');
    }),
  );
});

test.each([
  ['a', 'a\n', 0, 0],
  ['a', 'a\nb', 1, 0],
  ['a\nb\n', 'a', 0, 1],
  ['a\nb', 'a\nc', 1, 1],
  ['a\nb', 'b\na', 1, 1],
])('from %p to %p, %d lines are added and %d removed', (before, after, added, removed) => {
  expect(changes(before, after)).toMatchObject({ added, removed });
});

test('a terminal gets colors, and no control characters of the note', () => {
  const diff = formatColoredDiff(changes('a\tb\nsame\n', 'a\x1b[2Jb\nsame\n'), colored);

  expect(diff.split('\n')).toEqual([
    '\x1b[1m--- before\t1\x1b[22m',
    '\x1b[1m+++ after\t2\x1b[22m',
    '\x1b[36m@@ -1,2 +1,2 @@\x1b[39m',
    '\x1b[31m-a\tb\x1b[39m',
    '\x1b[32m+a␛[2Jb\x1b[39m',
    ' same',
    '',
  ]);
});
