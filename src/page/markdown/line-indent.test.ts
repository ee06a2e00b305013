import { expect, test } from 'bun:test';
import { findLineIndent } from './line-indent.ts';

test.each([
  ['  return 1', 2],
  ['\treturn 1', 4],
  ['  \treturn 1', 4],
  ['\t  return 1', 6],
])('the width of the indentation of %j is %d characters', (line, width) => {
  expect(findLineIndent(line)?.width).toBe(width);
});

test.each(['', 'return 1', '   ', 'a  b'])('%j has no indentation', (line) => {
  expect(findLineIndent(line)).toBeUndefined();
});

test('a long first word is found', () => {
  expect(findLineIndent('  https://host.example/path and more')).toEqual({ width: 2, textStart: 2, longWordEnd: 27 });
  expect(findLineIndent('  return https://host.example/path')).toEqual({ width: 2, textStart: 2, longWordEnd: 2 });
  expect(findLineIndent(`\t${'a'.repeat(1_000_000)}`)).toEqual({ width: 4, textStart: 1, longWordEnd: 2_001 });
});
