import { expect, test } from 'bun:test';
import { tsvOf } from '../../src/cli/commands/list/table.ts';
import { portableNote } from '../support/service.ts';

test('TSV has one line per note, whose fields printf %b decodes', () => {
  const title = 'a\tb\nc\\d\x1b[2J\r\x7f\u202e é日本';
  const note = portableNote(1, {
    title,
    category: 'bash-commands',
    group: 'third',
    color: 'success',
    updatedAt: '2026-03-10T09:00:00.000Z',
  });

  const line = tsvOf([note]);
  const [id, escaped = ''] = line.split('\t');
  const { stdout } = Bun.spawnSync(['bash', '-c', 'printf %b "$1"', 'bash', escaped], { env: { LC_ALL: 'C.UTF-8' } });

  expect(id).toBe('1');
  expect(line).toEndWith('\tbash-commands\tthird\tsuccess\tfalse\t2026-03-10T09:00:00.000Z\n');
  expect(line.split('\n')).toHaveLength(2);
  expect(stdout.toString()).toBe(title);
});
