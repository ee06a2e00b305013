/** What `notes import` and `notes sync` say of files that no format reads, and what they leave out. */
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { useNotes } from '../support/notes.ts';
import { program } from '../support/service.ts';

const activity = JSON.stringify([{ header: 'An app', title: 'Searched for glass', time: '2026-03-02T09:15:00.000Z' }]);

describe('a folder whose files are in several formats', () => {
  test('is read file by file, and a line counts by ending what no format reads', async () => {
    using here = useNotes();
    here.write('all/a.md', 'A note');
    here.write('all/b.sh', 'make');
    here.write('all/c.txt', 'A text');
    here.write('all/chat.json', JSON.stringify({ uuid: 'c-1', name: 'A chat', chat_messages: [{ text: 'Hi' }] }));
    const session = await Bun.file(join(import.meta.dir, '../fixtures/codex/rollout-2025-06-01-e0.jsonl')).bytes();
    here.write('all/rollout-2025-06-01-e0.jsonl.zst', Bun.zstdCompressSync(session));
    here.write('all/snippet.toml', '[[snippets]]\ndescription = "List"\ncommand = "ls"\n');
    for (const name of ['one.html', 'two.HTML', 'three.plist']) here.write(`all/${name}`, '<html></html>');
    here.write('all/.hidden/d.md', 'Hidden');

    const { code, stderr } = await here.notes(['import', join(here.folder, 'all')]);

    const titles = (await here.all()).map(({ title, category }) => `${category}: ${title}`);
    expect([code, titles.toSorted()]).toEqual([
      0,
      [
        'bash-commands: List',
        'bash-commands: b',
        'chat-tool: A chat',
        'editor-chats: Old rollout',
        'notes: a',
        'notes: c',
      ].toSorted(),
    ]);
    expect(stderr).toContain('\n    2 files .html, 1 file .plist: not read\n');
  });

  test('of which nothing is read is an error', async () => {
    using here = useNotes();
    here.write('takeout/MyActivity.json', activity);
    here.write('takeout/archive_browser.html', '<!DOCTYPE html>\n<title>Archive</title>');

    const { code, stderr } = await here.notes(['import', join(here.folder, 'takeout')]);

    expect([code, stderr]).toEqual([1, expect.stringContaining('1 file .html, 1 file .json: not read')]);
    expect(await here.all()).toEqual([]);
  });
});

describe('a file in no known format', () => {
  test.each([
    ['MyActivity.json', activity, 'a JSON array of objects with the keys header, title, time'],
    ['page.html', '<!DOCTYPE html>\n<title>Page</title>', 'an HTML page'],
    ['base.yml', 'name: x\nplaces:\n  - y\n', 'a YAML file with the keys name, places'],
    ['settings.toml', 'theme = "dark"\n', 'a TOML file with the key theme'],
    ['feed.xml', '<?xml version="1.0"?>\n<rss></rss>', 'an XML document with the root <rss>'],
  ])('is rejected with what it is, and no note is added: %s', async (name, content, description) => {
    using here = useNotes();

    const { code, stderr } = await here.notes(['import', here.write(name, content)]);

    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is in no known format: it is ${description}`)]);
    expect(await here.all()).toEqual([]);
  });

  test('is a note with --format code', async () => {
    using here = useNotes();

    const { code } = await here.notes(['import', here.write('a.json', activity), '--format', 'code']);

    expect([code, await here.all()]).toMatchObject([0, [{ title: 'a', content: activity }]]);
  });

  test('is said by sync once, in a folder or by itself', async () => {
    using here = useNotes();
    here.write('vault/a.md', 'A note');
    here.write('vault/page.html', '<html></html>');
    const sources = [join(here.folder, 'vault'), here.write('a.json', activity)];

    const first = await here.notes(['sync', ...sources]);
    const second = await here.notes(['sync', ...sources]);

    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('    1 file .html: not read\n')]);
    expect(first.stderr).toContain('a.json: It is a JSON array of objects with the keys header, title, time');
    expect(second).toMatchObject({ code: 0, stderr: 'Read 0 notes from 0 changed files of 3\n' });
  });
});

test('a file that was named and not imported is an error, and its reason is printed', async () => {
  using here = useNotes();
  const title = JSON.stringify({ type: 'summary', summary: 'T', leafUuid: 'u' });
  const session = here.write('00000000-0000-4000-8000-000000000001.jsonl', `${title}\n`);

  const results = [await here.notes(['import', session]), await here.notes(['import', here.write('a.css', ' ')])];

  expect(results.map(({ code }) => code)).toEqual([1, 1]);
  expect(results[0]?.stderr).toContain('  1 left out (--verbose names them):\n    1: It has no messages');
  expect(results[1]?.stderr).toContain('    1: It has no text\n');
});

test('files below a hidden folder are read if they are named, or below a folder that is', async () => {
  using here = useNotes();
  const files = ['.config/sub/a.md', '.config/sub/b.sh', '.config/sub/.bashrc'].map((name) => here.write(name, 'text'));
  here.write('.claude/commands/c.md', 'text');
  here.write('.claude/commands/.git/d.md', 'text');

  const codes = [];
  for (const path of [...files, join(here.folder, '.claude/commands')])
    codes.push((await here.notes(['import', path])).code);

  expect(codes).toEqual([0, 0, 0, 0]);
  expect((await here.all()).map(({ title }) => title).toSorted()).toEqual(['.bashrc', 'a', 'b', 'c']);
});

describe('several sources', () => {
  test('are imported with one report, and each failure is named', async () => {
    using here = useNotes();
    const good = [here.write('a.md', 'one'), here.write('b.css', '.a {}')];
    const line = JSON.stringify({ title: 'c', category: 'notes' });
    const bad = [here.write('page.html', '<html></html>'), join(here.folder, 'nowhere'), here.write('c.ndjson', line)];

    const { code, stderr } = await here.notes(['import', ...good, ...bad]);

    expect([code, (await here.all()).map(({ title }) => title).toSorted()]).toEqual([1, ['a', 'b']]);
    expect(stderr).toContain(`${bad[2]}: line 1: `);
    expect(stderr).toMatch(/Read 3 records from .*a\.md \(markdown\), .*b\.css \(code\), .*c\.ndjson \(ndjson\):/);
    expect(stderr).toContain('page.html is in no known format: it is an HTML page');
    expect(stderr).toContain('nowhere: there is no such file or folder');
  });

  test('of which none can be read make no store', async () => {
    using here = useNotes();

    const { code, stderr } = await here.notes(['import', join(here.folder, 'x'), here.write('a.json', '{"a":1}')]);

    expect([code, stderr.split('\n').length, existsSync(here.path)]).toEqual([1, 3, false]);
  });
});

test('sync prints the lines of a message as lines', async () => {
  using here = useNotes();

  const { stderr } = await here.notes(['sync', here.write('text.abc', 'A text')]);

  expect(stderr).toContain('text.abc');
  expect(stderr).not.toContain('␊');
});

test('an export of a program that is not read is named with what to export instead, alone and in a folder', async () => {
  using here = useNotes();
  const file = here.write('all/notes.enex', '<?xml version="1.0"?>\n<en-export>');
  here.write('all/more.enex', '<?xml version="1.0"?>\n<en-export>');
  here.write('all/a.md', 'one');

  const single = await here.notes(['import', file]);
  const folder = await here.notes(['import', join(here.folder, 'all')]);

  const sentence = 'It is an export of Evernote, which is not read. Open it in Obsidian with the plugin Importer';
  expect([single.code, single.stderr]).toEqual([2, expect.stringContaining(`notes.enex: ${sentence}`)]);
  expect([folder.code, folder.stderr]).toEqual([0, expect.stringContaining(`    2: ${sentence}`)]);
});

test('large files that no format reads are closed: a folder may have more of them than a process may open', async () => {
  using here = useNotes();
  for (let at = 0; at < 80; at++) here.write(`all/${at}.bin`, Buffer.alloc(300_000));
  here.write('all/a.md', 'one');

  const limited = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh', ...program, 'import', join(here.folder, 'all')];
  const child = Bun.spawn(limited, { env: { ...process.env, ...here.env }, stdout: 'pipe', stderr: 'pipe' });

  expect([await child.exited, await child.stderr.text()]).toEqual([
    0,
    expect.stringContaining('80 files .bin: not read'),
  ]);
});
