import { describe, expect, test } from 'bun:test';
import type { Note } from '../../domain/note.ts';
import { printable, printableLines, styleFor } from './style.ts';
import { tableOf, tsvOf } from './table.ts';
import { cut, widthOf } from './width.ts';

const terminal = { isTTY: true, write: () => true };
const pipe = { write: () => true };
const plain = styleFor(pipe, {});

const now = Date.parse('2026-03-10T12:00:00.000Z');
const note = (changes: Partial<Note> = {}): Note => ({
  id: 1,
  title: 'Undo the last commit',
  content: 'git reset --soft HEAD~1',
  category: 'bash-commands',
  group: 'third',
  color: 'success',
  archived: false,
  createdAt: '2026-03-10T09:00:00.000Z',
  updatedAt: '2026-03-10T09:00:00.000Z',
  ...changes,
});

const hostile = '\x1b]0;owned\x07\x1b[2J\x9b31m\r\n\t\x7f\u202eabc\u200b\u2028';
const steering = /(?!\n)[\p{Cc}\u202e\u200b\u2028]/u;

describe('styles', () => {
  test.each([
    ['a terminal', terminal, {}, true],
    ['a pipe', pipe, {}, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR, which is ignored', terminal, { NO_COLOR: '' }, true],
    ['CLICOLOR_FORCE into a pipe', pipe, { CLICOLOR_FORCE: '1' }, true],
    ['CLICOLOR_FORCE=0', pipe, { CLICOLOR_FORCE: '0' }, false],
    ['NO_COLOR above CLICOLOR_FORCE', terminal, { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, false],
    ['CLICOLOR=0', terminal, { CLICOLOR: '0' }, false],
    ['TERM=dumb', terminal, { TERM: 'dumb' }, false],
    ['TERM=dumb with CLICOLOR_FORCE', terminal, { TERM: 'dumb', CLICOLOR_FORCE: '1' }, true],
  ])('follow %s', (_, output, env, hasColor) => {
    const style = styleFor(output, env);

    const text = style.color('error', 'x');

    expect(text).toBe(hasColor ? '\x1b[31mx\x1b[39m' : 'x');
  });
});

describe('printable', () => {
  test('makes control characters visible', () => {
    const text = printable(hostile);

    expect(text).toBe('␛]0;owned␇␛[2J\ufffd31m␍␊␉␡\ufffdabc\ufffd\ufffd');
  });

  test('keeps line breaks and tabs in a text of several lines', () => {
    const text = printableLines('a\r\nb\tc\rd\x1b[2J');

    expect(text).toBe('a\nb\tc␍d␛[2J');
  });

  test('keeps emojis intact', () => {
    const text = printable('👩‍👩‍👧 and é 日本');

    expect(text).toBe('👩‍👩‍👧 and é 日本');
  });
});

describe('cut', () => {
  test.each(['plain text that is long', '日本語のとても長いタイトルです', '👩‍👩‍👧 a 👩‍👩‍👧 family'])(
    'keeps %p within any width',
    (text) => {
      for (let columns = 1; columns < 24; columns++) {
        const shown = cut(text, columns);

        expect(widthOf(shown)).toBeLessThanOrEqual(columns);
      }
    },
  );
});

describe('the table', () => {
  const notes = [
    note(),
    note({ id: 12, title: '日本語のとても長いタイトルです。まだ続きます、そしてさらに続きます', category: 'css' }),
    note({ id: 3, title: hostile, updatedAt: '2025-12-01T12:00:00.000Z', archived: true }),
  ];

  test('aligns its columns, whatever the widths of the characters', () => {
    const table = tableOf(notes, { columns: 80, style: plain, now });

    const lines = table.trimEnd().split('\n');
    const before = lines.map((line) => widthOf(line.split(/(?:css|bash-commands) /)[0] ?? ''));
    expect(lines[0]).toBe(' 1  ● Undo the last commit                           bash-commands  third  3h');
    expect(lines[1]).toEndWith('…  css            third  3h');
    expect(lines[2]).toContain('(archived)');
    expect(before).toEqual([53, 53, 53]);
  });

  test.each([120, 80, 60, 50, 40])('fits into %d columns', (columns) => {
    const table = tableOf(notes, { columns, style: plain, now });

    const widths = table.split('\n').map(widthOf);

    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(table).toContain('Undo the last commit');
  });

  test('highlights the words of the search', () => {
    const style = styleFor(terminal, {});

    const table = tableOf([note()], { columns: 80, style, now, query: 'commit' });

    expect(table).toContain('Undo the last \x1b[1m\x1b[4mcommit\x1b[24m\x1b[22m');
  });

  test('makes control characters visible', () => {
    const output = tableOf(notes, { columns: 80, style: plain, now }) + tsvOf(notes).replaceAll('\t', '');

    expect(output).not.toMatch(steering);
  });

  test('is empty without notes', () => {
    const table = tableOf([], { columns: 80, style: plain, now });

    expect(table).toBe('');
  });
});
