/** README is true: its tour works line by line, its settings are all of them, and its backup is one. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settings } from '../src/config.ts';
import type { Note } from '../src/domain/note.ts';
import { draft, jsonBody, startService, temporaryFolder } from './service.ts';

const root = join(import.meta.dir, '..');
const readme = await Bun.file(join(root, 'README.md')).text();

const blocks = (kind: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`sh ${kind}\n([^]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');

test('the tour works as it stands', async () => {
  await using service = await startService();
  const commands = blocks('tour')
    .join('')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '');
  const shown = commands.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));

  const answers = commands
    .filter((line) => line.startsWith('curl '))
    .map((line) => line.replace('localhost:3000', `127.0.0.1:${service.port}`))
    .map((line) => Bun.spawnSync(['bash', '-c', line]).stdout.toString());

  const [created = '', all = '', some = '', changed = '', archived = '', back = '', refused = ''] = answers;
  const note: Note = JSON.parse(created);
  expect(note).toMatchObject({ id: 1, title: 'Undo the last commit', archived: false });
  expect(JSON.parse(all)).toEqual([note]);
  expect(JSON.parse(some)).toEqual([note]);
  expect(JSON.parse(changed)).toMatchObject({ id: 1, color: 'warning' });
  expect([JSON.parse(archived).archived, JSON.parse(back).archived]).toEqual([true, false]);
  expect([refused]).toEqual(shown);
  expect(answers).toHaveLength(7);
});

test('the settings are all of them, with their defaults', () => {
  for (const { variable, flag, fallback } of Object.values(settings)) {
    const shown = typeof fallback === 'function' ? 'as above' : fallback === '' ? 'none' : `\`${fallback}\``;
    expect(readme).toContain(`| \`${variable}\` | \`${flag.split(' ')[0]}\` | ${shown} |`);
  }
});

test('the backup holds what was acknowledged before it, while the service runs', async () => {
  using folder = temporaryFolder();
  await using service = await startService({ XDG_DATA_HOME: folder.path, DATABASE_URL: '' });
  await fetch(`${service.url}/api/notes`, jsonBody(draft()));
  const [command = ''] = blocks('backup');
  const sql = /"(VACUUM INTO '([^']+)')"/.exec(command);
  const copy = join(folder.path, sql?.[2] ?? '');
  using db = new Database(join(folder.path, 'notes', 'notes.db'));

  db.run(`VACUUM INTO '${copy}'`);

  await using restored = await startService({ DATABASE_URL: `sqlite:${copy}` });
  expect(await (await fetch(`${restored.url}/api/notes`)).json()).toHaveLength(1);
  expect(command).toContain('~/.local/share/notes/notes.db');
});

test.each(['README.md', 'docs/architecture.md', 'docs/operations.md', 'docs/page.md', 'docs/testing.md'])(
  '%s links to what exists',
  async (page) => {
    const text = await Bun.file(join(root, page)).text();
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');

    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  },
);
