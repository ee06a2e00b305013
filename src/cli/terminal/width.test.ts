import { expect, test } from 'bun:test';
import { cut, rowsOf, sizeOf, widthOf } from './style.ts';

test.each([
  ['plain', 5],
  ['\u754c\u754c', 4],
  ['e\u0301', 1],
])('%p is %d columns wide', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test.each([
  ['fits', 4, 'fits'],
  ['too long', 4, 'too…'],
  ['\u754c\u754c\u754c', 4, '\u754c…'],
])('cuts %p to %d columns', (text, columns, cutText) => {
  expect(cut(text, columns)).toBe(cutText);
  expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns);
});

test('wraps lines at the width of the terminal, and counts an empty one as a row', () => {
  expect(rowsOf('12345\n\n1', 4)).toBe(4);
});

test('assumes a common size where the terminal reports none', () => {
  expect(sizeOf({ columns: 0 })).toEqual({ columns: 80, rows: 24 });
});
