import { describe, expect, test } from 'bun:test';
import { toPrintableLine, toPrintableText } from './printable-text.ts';
import { createStyleForOutput } from './style.ts';
import { countRows, measureWidth, truncateToWidth } from './text-width.ts';

const terminal = { isTTY: true, write: () => true };
const pipe = { write: () => true };
const hostile = '\x1b]0;owned\x07\x1b[2J\x9b31m\r\n\t\x7f\u202eabc\u200b\u2028';

describe('styles', () => {
  test.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', pipe, {}, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['CLICOLOR_FORCE into a pipe', pipe, { CLICOLOR_FORCE: '1' }, true],
    ['NO_COLOR above CLICOLOR_FORCE', terminal, { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, false],
    ['CLICOLOR=0', terminal, { CLICOLOR: '0' }, false],
    ['TERM=dumb', terminal, { TERM: 'dumb' }, false],
  ])('follow %s', (_, output, env, hasColor) => {
    const style = createStyleForOutput(output, env);

    const text = style.color('error', 'x');

    expect(text).toBe(hasColor ? '\x1b[31mx\x1b[39m' : 'x');
  });

  test('shows a text as it is in a color of a later version', () => {
    const later = JSON.parse('"light-pink"');

    expect(createStyleForOutput(terminal, {}).color(later, 'x')).toBe('x');
  });
});

test.each([
  ['control characters are made visible', hostile, '␛]0;owned␇␛[2J\ufffd31m␍␊␉␡\ufffdabc\ufffd\ufffd'],
  ['emojis stay', '👩‍👩‍👧 and é 日本', '👩‍👩‍👧 and é 日本'],
])('in a line %s', (_, text, shown) => {
  expect(toPrintableLine(text)).toBe(shown);
});

test('line breaks and tabs stay in a text of several lines', () => {
  expect(toPrintableText('a\r\nb\tc\rd\x1b[2J')).toBe('a\nb\tc␍d␛[2J');
});

test.each(['plain text that is long', '日本語のとても長いタイトルです', '👩‍👩‍👧 a 👩‍👩‍👧 family'])(
  '%p is cut to any width',
  (text) => {
    for (let columns = 1; columns < 24; columns++)
      expect(measureWidth(truncateToWidth(text, columns))).toBeLessThanOrEqual(columns);
  },
);

test.each([
  ['plain', 5],
  ['\u754c\u754c', 4],
  ['e\u0301', 1],
])('%p is %d columns wide', (text, columns) => {
  expect(measureWidth(text)).toBe(columns);
});

test.each([
  ['fits', 4, 'fits'],
  ['too long', 4, 'too…'],
  ['\u754c\u754c\u754c', 4, '\u754c…'],
])('cuts %p to %d columns', (text, columns, cutText) => {
  expect(truncateToWidth(text, columns)).toBe(cutText);
});

test('wraps lines at the width of the terminal, and counts an empty one as a row', () => {
  expect(countRows('12345\n\n1', 4)).toBe(4);
});
