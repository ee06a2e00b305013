import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../../test/support/sample-notes.ts';
import type { Note } from '../../../core/note.ts';
import { createStyleForOutput } from '../../terminal/style.ts';
import { measureWidth } from '../../terminal/text-width.ts';
import { formatNoteTable } from './note-table.ts';
import { formatNotesAsTsv } from './notes-tsv.ts';

const plain = createStyleForOutput({ write: () => true }, {});

const now = Date.parse('2026-03-10T12:00:00.000Z');
const note = (changes: Partial<Note> = {}): Note => ({
  ...createPortableNote(1, {
    title: 'Undo the last commit',
    category: 'bash-commands',
    group: 'third',
    color: 'success',
  }),
  updatedAt: '2026-03-10T09:00:00.000Z',
  ...changes,
});

const hostile = '\x1b]0;owned\x07\x1b[2J\x9b31m\r\n\t\x7f\u202eabc\u200b\u2028';
const steering = /(?!\n)[\p{Cc}\u202e\u200b\u2028]/u;

const notes = [
  note(),
  note({ id: 12, title: '日本語のとても長いタイトルです。まだ続きます、そしてさらに続きます', category: 'css' }),
  note({ id: 3, title: hostile, updatedAt: '2025-12-01T12:00:00.000Z', archived: true }),
];

test('the table aligns its columns, whatever the widths of the characters', () => {
  const table = formatNoteTable(notes, { columns: 80, style: plain, now });

  const lines = table.trimEnd().split('\n');
  const before = lines.map((line) => measureWidth(line.split(/(?:css|bash-commands) /)[0] ?? ''));
  expect(lines[0]).toBe(' 1  ● Undo the last commit                           bash-commands  third  3h');
  expect(lines[1]).toEndWith('…  css            third  3h');
  expect(lines[2]).toContain('(archived)');
  expect(before).toEqual([53, 53, 53]);
});

test.each([120, 80, 60, 50, 40])('the table fits into %d columns', (columns) => {
  const table = formatNoteTable(notes, { columns, style: plain, now });

  const widths = table.split('\n').map(measureWidth);

  expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
  expect(table).toContain('Undo the last commit');
});

test('the table highlights the words of the search', () => {
  const style = createStyleForOutput({ isTTY: true, write: () => true }, {});

  const table = formatNoteTable([note()], { columns: 80, style, now, query: 'commit' });

  expect(table).toContain('Undo the last \x1b[1m\x1b[4mcommit\x1b[24m\x1b[22m');
});

test('the table makes control characters visible', () => {
  const output =
    formatNoteTable(notes, { columns: 80, style: plain, now }) + formatNotesAsTsv(notes).replaceAll('\t', '');

  expect(output).not.toMatch(steering);
});

test('TSV has one line per note, whose fields printf %b decodes', () => {
  const title = 'a\tb\nc\\d\x1b[2J\r\x7f\u202e é日本';

  const line = formatNotesAsTsv([note({ title })]);

  const [id, escaped = ''] = line.split('\t');
  const { stdout } = Bun.spawnSync(['bash', '-c', 'printf %b "$1"', 'bash', escaped], { env: { LC_ALL: 'C.UTF-8' } });
  expect([id, stdout.toString()]).toEqual(['1', title]);
  expect(line).toEndWith('\tbash-commands\tthird\tsuccess\tfalse\t2026-03-10T09:00:00.000Z\n');
  expect(line.split('\n')).toHaveLength(2);
});
