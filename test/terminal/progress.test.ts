/** The progress that long commands show at a terminal. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { createTemporaryFolder, program, programInShell } from '../support/service.ts';
import { Terminal } from '../support/terminal/terminal.ts';

const count = 3_000;

const folder = createTemporaryFolder();
const path = (name: string) => join(folder.path, name);

beforeAll(async () => {
  const content = 'text '.repeat(1_000);
  const notes = Array.from({ length: count }, (_, at) => createPortableNote(at + 1, { content }));
  writeFileSync(path('in.ndjson'), notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
  await using store = await openSqlite({ path: path('notes.db') });
  for (let at = 0; at < count; at += 100) await store.merge(notes.slice(at, at + 100));
  await using few = await openSqlite({ path: path('few.db') });
  await few.merge(notes.slice(0, 3));
});
afterAll(() => folder[Symbol.dispose]());

const open = (command: readonly string[]) =>
  new Terminal(command, {
    columns: 120,
    env: { DATABASE_URL: `sqlite:${path('notes.db')}`, PORT: '0', MIGRATE_FROM: '', MIGRATE_TO: '' },
  });

/** The progress lines, each drawn over the one before. */
const drawn = ({ output }: Terminal) => output.split('\r').map(Bun.stripANSI);

const counting = (step: string) => new RegExp(`^${step}: [\\d,]+ notes, \\d+ %, [\\d,]+ notes/s`);
const measuring = /^Copying: [\d,]+\.\d MB, \d+ %, [\d,]+ MB\/s/;

test.each([
  ['export', ['export', path('out.ndjson')], counting('Exporting')],
  ['import', ['import', path('in.ndjson'), '--db', path('imported.db')], counting('Importing')],
  ['backup', ['backup', path('backup.db')], measuring],
  [
    'migrate',
    ['migrate', '--from', `sqlite:${path('notes.db')}`, '--to', `sqlite:${path('moved.db')}`],
    counting('Moving'),
  ],
])('%s shows its progress and rate', async (_, args, expected) => {
  await using terminal = open([...program, ...args]);

  const code = await terminal.waitForExitCode();

  expect(drawn(terminal)).toContainEqual(expect.stringMatching(expected));
  expect(code).toBe(0);
});

test('an export into a slow pipe removes its line', async () => {
  const readSlowly = `until [ -e '${path('shown')}' ]; do head -c 65536; sleep 0.05; done > /dev/null`;
  await using terminal = open(['sh', '-c', `${programInShell} export - | (${readSlowly}; cat > /dev/null)`]);
  await terminal.waitForText('Exporting: ');

  writeFileSync(path('shown'), '');
  const code = await terminal.waitForExitCode();

  expect([code, terminal.screenText]).toEqual([0, '']);
});

test('an export to the terminal draws no progress line between the notes', async () => {
  await using terminal = open([...program, 'export', '-', '--db', path('few.db')]);

  await terminal.waitForExitCode();

  expect(terminal.output).toContain('{"id":3,');
  expect(terminal.output).not.toContain('Exporting');
});
