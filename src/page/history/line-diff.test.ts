import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createLineDiff, type LineDiff } from './line-diff.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`);

/** Rows as text: `-`, `+` or a blank, then the pieces, marked ones in brackets. */
const drawn = ({ rows }: LineDiff) =>
  rows.map((row) => {
    if (row.kind === 'gap') return `… ${row.lines}`;
    const sign = { same: ' ', removed: '-', added: '+' }[row.kind];
    return sign + row.pieces.map(({ kind, text }) => (kind === 'plain' ? text : `[${text}]`)).join('');
  });

describe('the difference of two texts', () => {
  test('marks differing words within a line, in any script', () => {
    expect(drawn(createLineDiff('a big house\n', 'a small house\n'))).toEqual(['-a [big] house', '+a [small] house']);
    expect(drawn(createLineDiff('Привет мир', 'Привет дом'))).toEqual(['-Привет [мир]', '+Привет [дом]']);
    expect(drawn(createLineDiff('東京都', '東海都'))).toEqual(['-東[京]都', '+東[海]都']);
  });

  test('marks nothing in a line that differs entirely', () => {
    expect(drawn(createLineDiff('a house\nelse\n', 'the house\n\nmore\n'))).toEqual([
      '-[a] house',
      '-else',
      '+[the] house',
      '+',
      '+more',
    ]);
  });

  test('shows three equal lines around a change, and how many lines are omitted', () => {
    const before = numbered(20);
    const after = before.toSpliced(10, 1);

    expect(drawn(createLineDiff(before.join(''), after.join('')))).toEqual([
      '… 7',
      ...[7, 8, 9].map((number) => ` line ${number}`),
      '-line 10',
      ...[11, 12, 13].map((number) => ` line ${number}`),
      '… 6',
    ]);
  });

  test('shows line ends if only they differ', () => {
    expect(drawn(createLineDiff('a\r\n', 'a\n'))).toEqual(['-a[␍␊]', '+a[␊]']);
    expect(drawn(createLineDiff('a', 'a\n'))).toEqual(['-a', '+a[␊]']);
  });

  test('of a long line shows the differing middle, and never splits a character', () => {
    const around = '😀'.repeat(1_000_000);

    expect(drawn(createLineDiff(`${around}😁${around}`, `${around}😂${around}`))).toEqual([
      `-${'😀'.repeat(500)}[1998000]${'😀'.repeat(500)}[😁]${'😀'.repeat(500)}[1998000]${'😀'.repeat(500)}`,
      `+${'😀'.repeat(500)}[1998000]${'😀'.repeat(500)}[😂]${'😀'.repeat(500)}[1998000]${'😀'.repeat(500)}`,
    ]);
  });

  test('of 8 MB without a common line, which could take hours, shows a part', () => {
    const text = (word: string) => Array.from({ length: 400_000 }, (_, index) => `${word} ${index} of many\n`).join('');

    const { rows, isWhole } = createLineDiff(text('one'), text('two'));

    expect(rows.length).toBe(1_000);
    expect(isWhole).toBe(false);
  });

  test('both texts can be rebuilt from its lines, for any texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '😀', '\ud83d', 'ü'), maxLength: 30 });
    const side = (diff: LineDiff, left: string) =>
      drawn(diff)
        .filter((row) => row.startsWith(' ') || row.startsWith(left))
        .map((row) => row.slice(1).replace(/[[\]␍␊]/g, ''));
    const linesIn = (text: string) => (text.match(/[^\n]*\n|[^\n]+/g) ?? []).map((line) => line.replace(/\r?\n$/, ''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = createLineDiff(before, after);
        if (before === after || diff.rows.some(({ kind }) => kind === 'gap')) return;
        expect(side(diff, '-')).toEqual(linesIn(before));
        expect(side(diff, '+')).toEqual(linesIn(after));
      }),
    );
  });
});
