import { expect, test } from 'bun:test';
import { findTypedName } from './find-typed-name.ts';

const names = ['Install', '\u2003On Linux', '\u2003On macOS', 'Upgrade on Linux', 'Notes of 2024'];

test.each([
  ['u', -1, 3],
  ['on m', 1, 2],
  ['on l', 1, 1],
  ['on linux', 2, 1],
  ['MACOS', -1, 2],
  ['linux', 1, 1],
  ['linux', 2, 3],
  ['2', 0, 4],
  ['x', 1, 3],
  ['on windows', 1, -1],
])('%j, typed at item %d, goes to item %d', (typed, current, found) => {
  expect(findTypedName(names, current, typed)).toBe(found);
});

test('the same letter again goes to the next name that begins with it, unless a name begins with none', () => {
  expect(findTypedName(names, 1, 'oo')).toBe(2);
  expect(findTypedName(names, 2, 'ooo')).toBe(1);
  expect(findTypedName(['Find', 'Look', 'Book'], 0, 'oo')).toBe(1);
});
