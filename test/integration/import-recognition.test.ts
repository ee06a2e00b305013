/** What `notes import` and `notes sync` say of files that no format reads, and what they leave out. */
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../support/service.ts';
import { createTestCli } from '../support/test-cli.ts';

const activity = JSON.stringify([{ header: 'An app', title: 'Searched for glass', time: '2026-03-02T09:15:00.000Z' }]);

describe('a folder whose files are in several formats', () => {
  test('is read file by file, and a line counts by ending what no format reads', async () => {
    using cli = createTestCli();
    cli.writeFile('all/a.md', 'A note');
    cli.writeFile('all/b.sh', 'make');
    cli.writeFile('all/c.txt', 'A text');
    cli.writeFile('all/chat.json', JSON.stringify({ uuid: 'c-1', name: 'A chat', chat_messages: [{ text: 'Hi' }] }));
    const session = await Bun.file(join(import.meta.dir, '../fixtures/codex/rollout-2025-06-01-e0.jsonl')).bytes();
    cli.writeFile('all/rollout-2025-06-01-e0.jsonl.zst', Bun.zstdCompressSync(session));
    cli.writeFile('all/snippet.toml', '[[snippets]]\ndescription = "List"\ncommand = "ls"\n');
    for (const name of ['one.html', 'two.HTML', 'three.plist']) cli.writeFile(`all/${name}`, '<html></html>');
    cli.writeFile('all/.hidden/d.md', 'Hidden');

    const { code, stderr } = await cli.run(['import', join(cli.folder, 'all')]);

    const titles = (await cli.readAllNotes()).map(({ title, category }) => `${category}: ${title}`);
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
    using cli = createTestCli();
    cli.writeFile('takeout/MyActivity.json', activity);
    cli.writeFile('takeout/archive_browser.html', '<!DOCTYPE html>\n<title>Archive</title>');

    const { code, stderr } = await cli.run(['import', join(cli.folder, 'takeout')]);

    expect([code, stderr]).toEqual([1, expect.stringContaining('1 file .html, 1 file .json: not read')]);
    expect(await cli.readAllNotes()).toEqual([]);
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
    using cli = createTestCli();

    const { code, stderr } = await cli.run(['import', cli.writeFile(name, content)]);

    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is in no known format: it is ${description}`)]);
    expect(await cli.readAllNotes()).toEqual([]);
  });

  test('is a note with --format code', async () => {
    using cli = createTestCli();

    const { code } = await cli.run(['import', cli.writeFile('a.json', activity), '--format', 'code']);

    expect([code, await cli.readAllNotes()]).toMatchObject([0, [{ title: 'a', content: activity }]]);
  });

  test('is said by sync once, in a folder or by itself', async () => {
    using cli = createTestCli();
    cli.writeFile('vault/a.md', 'A note');
    cli.writeFile('vault/page.html', '<html></html>');
    const sources = [join(cli.folder, 'vault'), cli.writeFile('a.json', activity)];

    const first = await cli.run(['sync', ...sources]);
    const second = await cli.run(['sync', ...sources]);

    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('    1 file .html: not read\n')]);
    expect(first.stderr).toContain('a.json: It is a JSON array of objects with the keys header, title, time');
    expect(second).toMatchObject({ code: 0, stderr: 'Read 0 notes from 0 changed files of 3\n' });
  });
});

test('a file that was named and not imported is an error, and its reason is printed', async () => {
  using cli = createTestCli();
  const title = JSON.stringify({ type: 'summary', summary: 'T', leafUuid: 'u' });
  const session = cli.writeFile('00000000-0000-4000-8000-000000000001.jsonl', `${title}\n`);

  const results = [await cli.run(['import', session]), await cli.run(['import', cli.writeFile('a.css', ' ')])];

  expect(results.map(({ code }) => code)).toEqual([1, 1]);
  expect(results[0]?.stderr).toContain('  1 left out (--verbose names them):\n    1: It has no messages');
  expect(results[1]?.stderr).toContain('    1: It has no text\n');
});

test('files below a hidden folder are read if they are named, or below a folder that is', async () => {
  using cli = createTestCli();
  const files = ['.config/sub/a.md', '.config/sub/b.sh', '.config/sub/.bashrc'].map((name) =>
    cli.writeFile(name, 'text'),
  );
  cli.writeFile('.claude/commands/c.md', 'text');
  cli.writeFile('.claude/commands/.git/d.md', 'text');

  const codes = [];
  for (const path of [...files, join(cli.folder, '.claude/commands')])
    codes.push((await cli.run(['import', path])).code);

  expect(codes).toEqual([0, 0, 0, 0]);
  expect((await cli.readAllNotes()).map(({ title }) => title).toSorted()).toEqual(['.bashrc', 'a', 'b', 'c']);
});

describe('several sources', () => {
  test('are imported with one report, and each failure is named', async () => {
    using cli = createTestCli();
    const good = [cli.writeFile('a.md', 'one'), cli.writeFile('b.css', '.a {}')];
    const line = JSON.stringify({ title: 'c', category: 'notes' });
    const bad = [
      cli.writeFile('page.html', '<html></html>'),
      join(cli.folder, 'nowhere'),
      cli.writeFile('c.ndjson', line),
    ];

    const { code, stderr } = await cli.run(['import', ...good, ...bad]);

    expect([code, (await cli.readAllNotes()).map(({ title }) => title).toSorted()]).toEqual([1, ['a', 'b']]);
    expect(stderr).toContain(`${bad[2]}: line 1: `);
    expect(stderr).toMatch(/Read 3 records from .*a\.md \(markdown\), .*b\.css \(code\), .*c\.ndjson \(ndjson\):/);
    expect(stderr).toContain('page.html is in no known format: it is an HTML page');
    expect(stderr).toContain('nowhere: there is no such file or folder');
  });

  test('of which none can be read make no store', async () => {
    using cli = createTestCli();

    const { code, stderr } = await cli.run(['import', join(cli.folder, 'x'), cli.writeFile('a.json', '{"a":1}')]);

    expect([code, stderr.split('\n').length, existsSync(cli.path)]).toEqual([1, 3, false]);
  });
});

test('sync prints the lines of a message as lines', async () => {
  using cli = createTestCli();

  const { stderr } = await cli.run(['sync', cli.writeFile('text.abc', 'A text')]);

  expect(stderr).toContain('text.abc');
  expect(stderr).not.toContain('␊');
});

test('an export of a program that is not read is named with what to export instead, alone and in a folder', async () => {
  using cli = createTestCli();
  const file = cli.writeFile('all/notes.enex', '<?xml version="1.0"?>\n<en-export>');
  cli.writeFile('all/more.enex', '<?xml version="1.0"?>\n<en-export>');
  cli.writeFile('all/a.md', 'one');

  const single = await cli.run(['import', file]);
  const folder = await cli.run(['import', join(cli.folder, 'all')]);

  const sentence = 'It is an export of Evernote, which is not read. Open it in Obsidian with the plugin Importer';
  expect([single.code, single.stderr]).toEqual([2, expect.stringContaining(`notes.enex: ${sentence}`)]);
  expect([folder.code, folder.stderr]).toEqual([0, expect.stringContaining(`    2: ${sentence}`)]);
});

test('large files that no format reads are closed: a folder may have more of them than a process may open', async () => {
  using cli = createTestCli();
  for (let at = 0; at < 80; at++) cli.writeFile(`all/${at}.bin`, Buffer.alloc(300_000));
  cli.writeFile('all/a.md', 'one');

  const limited = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh', ...program, 'import', join(cli.folder, 'all')];
  const child = Bun.spawn(limited, { env: { ...process.env, ...cli.env }, stdout: 'pipe', stderr: 'pipe' });

  expect([await child.exited, await child.stderr.text()]).toEqual([
    0,
    expect.stringContaining('80 files .bin: not read'),
  ]);
});
