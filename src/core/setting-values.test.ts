import { expect, test } from 'bun:test';
import { parseAccessTokensOrOff } from './setting-values.ts';

const one = 'correct-horse-battery';
const other = 'another-token-of-length';

test('a token alone has all rights', () => {
  expect(parseAccessTokensOrOff(`${one}\n`)).toEqual([{ name: 'owner', rights: 'full', token: one }]);
  expect(parseAccessTokensOrOff('off')).toEqual([]);
});

test('a file gives each token a name and rights', () => {
  expect(parseAccessTokensOrOff(`# of the house\n\nann full ${one}\r\n  board\tread ${other}`)).toEqual([
    { name: 'ann', rights: 'full', token: one },
    { name: 'board', rights: 'read', token: other },
  ]);
});

test.each([
  '',
  '# nothing',
  'short',
  'with a space in it',
  `ann all ${one}`,
  `ann ${one}`,
  `ann full ${one}\nann read ${other}`,
  `${one}\n${other}`,
  `ann full ${'x'.repeat(257)}`,
  `ann full ${one}é`,
])('%p is refused and not printed', (text) => {
  expect(() => parseAccessTokensOrOff(text)).toThrow(/^a token of 16 to 256 .* or off$/);
});
