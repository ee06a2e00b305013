/** The commands on notes without a terminal: what they print, what they store, and their exit codes. */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgramOrThrow } from '../../src/cli/program.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  forEachLine,
  program,
  programInShell,
  readNotesBody,
  runNotesCommand,
  startService,
} from '../support/service.ts';
import { createRecordedIo } from '../support/terminal/recorded-io.ts';
import { createTestCli } from '../support/test-cli.ts';

describe('add', () => {
  test('stores piped input byte for byte, and prints only the id', async () => {
    using cli = createTestCli();
    const content = '\ufeff#!/bin/sh\r\necho "ä 🙂" \\\n\n';

    const result = await cli.run(['add'], content);
    const shown = await cli.run(['show', '1']);

    expect(result).toEqual({ code: 0, stdout: '1\n', stderr: '' });
    expect(shown).toEqual({ code: 0, stdout: content, stderr: '' });
    expect((await cli.runJson('show', '1')).title).toBe('echo "ä 🙂"');
  });

  test('takes fields from flags, else text, title and category from a file and its name', async () => {
    using cli = createTestCli();
    const file = (name: string) => cli.writeFile(name, '# first line');

    const given = ['-c', 'css', '-g', 'fifth', '--color', 'info'];
    const notes = [
      await cli.runJson('add', 'Of', 'three', 'words', '-m', 'text', ...given),
      await cli.runJson('add', '-t', 'By a flag', '-f', file('deploy.sh')),
      await cli.runJson('add', '-f', file('deploy.prod.sh')),
      await cli.runJson('add', '-f', file('.bashrc')),
      await cli.runJson('add', 'Other title', '-f', file('reset.scss'), '-c', 'prompts'),
      await cli.runJson('add', ' ', '-m', 'first line\nsecond'),
    ];

    const read = { content: '# first line', group: 'first', color: 'neutral' };
    expect(notes).toMatchObject([
      { title: 'Of three words', content: 'text', category: 'css', group: 'fifth', color: 'info' },
      { ...read, title: 'By a flag', category: 'bash-commands' },
      { ...read, title: 'deploy.prod', category: 'bash-commands' },
      { ...read, title: '.bashrc', category: 'notes' },
      { ...read, title: 'Other title', category: 'prompts' },
      { title: 'first line' },
    ]);
  });

  const refusals: readonly (readonly [args: readonly string[], stdin: string | Uint8Array, reason: string])[] = [
    [[], '', 'There is no text'],
    [['-m', '   '], '', 'There is no text'],
    [[], new Uint8Array([0x61, 0xff]), 'is not UTF-8 text'],
    [[], 'a\0b', 'Must not contain NUL'],
    [['-m', 'x', '-f', '/etc/hostname'], '', 'cannot be used with option'],
    [['-m', 'x', '-m', 'y'], '', 'It is given twice'],
    [['words', '-t', 'flag', '-m', 'x'], '', 'Give one title: as words or with -t'],
    [['-f', '/dev/zero'], '', 'notes: /dev/zero is longer than 64 MiB. Split it first\n'],
    [['-m', 'x', '--db', '~/notes.db'], '', '--db must be a path without ~'],
    [['--color', '\x1b[2J', '-m', 'x'], '', "argument '␛[2J' is invalid"],
    [['--color', 'foo', '-m', 'x'], '', 'Allowed choices are primary'],
    [['-c', 'foo', '-m', 'x'], '', 'Invalid category. Must be one of: css'],
  ];

  test('refuses what it cannot store, says why, and exits with 2', async () => {
    using cli = createTestCli();

    for (const [args, stdin, reason] of refusals) {
      const { code, stdout, stderr } = await cli.run(['add', ...args], stdin);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
    }
    expect(await cli.readAllNotes()).toEqual([]);
  });

  test('as other commands, says why it cannot read a file, and exits with 1', async () => {
    using cli = createTestCli();
    await cli.addNote('kept', 'x');
    const stderr = 'notes: Cannot read /nonexistent/file: there is no such file or folder\n';

    for (const args of [['add', '-f'], ['edit', '1', '-f'], ['import']]) {
      expect(await cli.run([...args, '/nonexistent/file'])).toEqual({ code: 1, stdout: '', stderr });
    }
  });
});

describe('list', () => {
  test('finds by words and filters, as the page does, and archived notes on request', async () => {
    using cli = createTestCli();
    await cli.addNote('Undo', 'git reset', '-c', 'bash-commands', '-g', 'second');
    await cli.addNote('reset of a form', 'css', '-c', 'css');
    await cli.addNote('away', 'git reset');
    await cli.run(['archive', '3']);
    const ids = async (...args: string[]) => {
      const { stdout } = await cli.run(['ls', ...args]);
      return stdout.split('\n').flatMap((line) => line.split('\t', 1).filter(Boolean));
    };

    expect(await ids('reset')).toEqual(['2', '1']);
    expect(await ids('git', 'reest')).toEqual(['1']);
    expect(await ids('-c', 'bash-commands', '-g', 'second')).toEqual(['1']);
    expect(await ids('-c', 'css', 'c:bash-commands', '--color', 'neutral')).toEqual(['2', '1']);
    expect(await ids('--archived')).toEqual(['3']);
    expect(await ids('--all')).toEqual(['3', '2', '1']);
    expect(await ids('-n', '1')).toEqual(['2']);
    expect(await ids('nowhere')).toEqual([]);
    expect(await ids('reset', 'c:css')).toEqual(['2']);
    expect(await ids('archived:true', 'git')).toEqual(['3']);
    expect(await cli.run(['ls', 'c:reset'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'notes: "c:reset" is no filter, so it was taken as a word\n',
    });
    expect(await cli.run(['show', 'g:second', '--raw'])).toMatchObject({ code: 0, stdout: 'git reset' });
    expect((await cli.run(['copy', '-c', 'prompts'])).stderr).toBe('notes: No note matches c:prompts\n');
  });

  test('is sorted by last change, creation or title, and says on stderr how many there are if a limit cuts it', async () => {
    using cli = createTestCli();
    for (const title of ['note 10', 'Note 9', 'an old one']) await cli.addNote(title, 'x');
    await cli.run(['edit', '1', '-m', 'y']);
    const list = async (...args: string[]) => {
      const { stdout, stderr } = await cli.run(['list', ...args]);
      return [stdout.split('\n').flatMap((line) => line.split('\t')[1] ?? []), stderr];
    };

    expect(await list()).toEqual([['note 10', 'an old one', 'Note 9'], '']);
    expect(await list('--sort', 'created', '-n', '3')).toEqual([['an old one', 'Note 9', 'note 10'], '']);
    expect(await list('--sort', 'title', '-n', '2')).toEqual([['an old one', 'Note 9'], '2 of 3 notes\n']);
    expect(await cli.run(['list', '-n', '2', '--json'])).toMatchObject({ stderr: '' });
  });
});

describe('show', () => {
  test('finds a note by id, by words, or by its whole title; a script gets the candidates, with 2', async () => {
    using cli = createTestCli();
    await cli.addNote('git', 'one');
    await cli.addNote('git reset', 'two');
    await cli.addNote('Große "Straße"', 'three');
    await cli.addNote('Große "Straße", klein', 'four');
    const lines = [['1'], ['reset'], ['GIT'], ['grosse', '"strasse"']];

    const shown = await Promise.all(lines.map((words) => cli.run(['show', ...words])));
    const several = await cli.run(['show', 'große']);
    const missing = await Promise.all(['7', 'nowhere', '--archived'].map((word) => cli.run(['show', word])));

    expect(shown.map(({ stdout }) => stdout)).toEqual(['one', 'two', 'one', 'three']);
    const candidates = '  4  "Große \\"Straße\\", klein"\n  3  "Große \\"Straße\\""\n';
    expect(several).toEqual({
      code: 2,
      stdout: '',
      stderr: `notes: 2 notes match. Give the id of one:\n${candidates}`,
    });
    expect(missing.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([3, '']));
  });

  test('fills in placeholders, prints nothing while one lacks a value, and the text as written on request', async () => {
    using cli = createTestCli();
    const content = 'In {{language}}: {{ what }} {{size=small}} {{.Names}}';
    await cli.addNote('review', content);

    const filled = await cli.run(['show', '1', '--set', 'language=a=b', '--set', 'what=x']);
    const some = await cli.run(['show', '1', '--set', 'what=x']);
    const raw = await cli.run(['show', '1', '--raw']);

    expect(filled).toEqual({ code: 0, stdout: 'In a=b: x small {{.Names}}', stderr: '' });
    expect(some).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('{{language}} has no value') });
    expect(raw).toEqual({ code: 0, stdout: content, stderr: '' });
  });
});

test('edit changes only the fields that flags name, and nothing if nothing changes or the text is refused', async () => {
  using cli = createTestCli();
  await cli.addNote('before', 'text', '-c', 'css');
  const before = await cli.runJson('show', '1');

  const after = await cli.runJson('edit', '1', '--title', 'after', '--color', 'error');
  const same = await cli.runJson('edit', '1', '--title', 'after', '-m', 'text');
  const empty = await cli.run(['edit', '1', '-m', '']);

  expect(after).toEqual({ ...before, title: 'after', color: 'error', updatedAt: after.updatedAt });
  expect(after.updatedAt > before.updatedAt).toBe(true);
  expect(empty).toMatchObject({ code: 2, stderr: 'notes: Invalid content. Must be a non-empty string\n' });
  expect([same, await cli.runJson('show', '1')]).toEqual([after, after]);
});

describe('pin and unpin', () => {
  test('the note that was pinned last is the first of the list of pinned notes, which filters and words narrow', async () => {
    using cli = createTestCli();
    for (const title of ['Apple', 'Banana', 'Cherry']) await cli.addNote(title, 'x');

    const pinned = await cli.run(['pin', '1', '3', '9']);
    const byWords = await cli.run(['pin', 'banana']);
    const listed = await cli.runJson('list', '--pinned');
    const found = await cli.runJson('list', '--pinned', 'cherry');
    const unpinned = await cli.run(['unpin', '3']);
    const rest = await cli.runJson('list', '--pinned', '-n', '1');

    expect(pinned).toEqual({ code: 3, stdout: '1\n3\n', stderr: 'notes: Note with ID 9 not found\n' });
    expect(byWords).toEqual({ code: 0, stdout: '2\n', stderr: '' });
    expect(listed).toMatchObject([{ id: 2 }, { id: 3 }, { id: 1 }]);
    expect(found).toMatchObject([{ id: 3 }]);
    expect(unpinned).toEqual({ code: 0, stdout: '3\n', stderr: '' });
    expect(rest).toMatchObject([{ id: 2 }]);
  });

  test('work through a service too, and keep the pin of an archived note', async () => {
    using cli = createTestCli();
    await cli.addNote('Apple', 'x');
    await using service = await startService(cli.env);

    await cli.run(['pin', '1', '--url', service.url]);
    await cli.run(['archive', '1', '--url', service.url]);

    expect(await (await fetch(`${service.url}/api/pins`)).json()).toEqual({ ids: [1] });
    expect(await cli.runJson('list', '--pinned', '--all', '--url', service.url)).toMatchObject([{ id: 1 }]);
    expect(await cli.runJson('list', '--pinned', '--url', service.url)).toHaveLength(0);
  });
});

describe('archive and unarchive', () => {
  test('take ids, also from a list that is piped in, and report missing notes, with 3', async () => {
    using cli = createTestCli();
    for (const title of ['a', 'b', 'c']) await cli.addNote(title, 'x');
    const list = await cli.run(['list', 'a']);

    const archived = await cli.run(['archive', '3', '9', '0', '-', '--yes'], list.stdout);
    const back = await cli.runJson('unarchive', '3');

    const stderr = 'notes: Note with ID 9 not found\nnotes: Note with ID 0 not found\n';
    expect(archived).toEqual({ code: 3, stdout: '3\n1\n', stderr });
    expect(back).toMatchObject({ id: 3, archived: false });
    expect((await cli.readAllNotes()).filter((note) => note.archived).map((note) => note.id)).toEqual([1]);
  });

  test('find a note by words, among those that they would change', async () => {
    using cli = createTestCli();
    await cli.addNote('Old ways', 'x');
    await cli.addNote('New ways', 'x');

    const found = await cli.runJson('archive', 'old');
    const several = await cli.run(['archive', 'ways', 'new']);
    const none = await cli.run(['archive', 'new']);
    const active = await cli.run(['archive', 'nowhere']);
    const back = await cli.run(['unarchive', 'new']);
    const again = await cli.run(['unarchive', 'new']);
    const many = await cli.run(['archive', '1', '2', '--json']);

    expect(found).toMatchObject({ id: 1, archived: true });
    expect(several).toEqual({ code: 0, stdout: '2\n', stderr: '' });
    expect(none).toMatchObject({ code: 3, stderr: 'notes: 2 is already archived\n' });
    expect(again).toMatchObject({ code: 3, stderr: 'notes: 2 is not archived\n' });
    expect(active.stderr).toBe('notes: No note has the word "nowhere". "notes list" shows all notes\n');
    expect(back.stdout).toBe('2\n');
    expect(JSON.parse(many.stdout)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('show a list of many and change nothing where they cannot ask for confirmation', async () => {
    using cli = createTestCli();
    for (const title of ['a', 'b']) await cli.addNote(title, 'x');
    const before = await cli.readAllNotes();

    const several = await cli.run(['unarchive', '-'], '1\n2\n9\n');
    const left = await cli.readAllNotes();
    const one = await cli.run(['archive', '-'], '1\n');

    expect(several).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'notes: Note with ID 9 not found\nUnarchive 2 notes:\n  1  a\n  2  b\n' +
        'notes: Cannot ask without a terminal, so nothing was changed: add --yes to confirm\n',
    });
    expect(left).toEqual(before);
    expect(one).toEqual({ code: 0, stdout: '1\n', stderr: '' });
  });
});

describe('the notes that a command works on', () => {
  test('are in its file, also beside a service, which shows them at once, and after it was killed', async () => {
    using cli = createTestCli();
    await using service = await startService(cli.env);
    const notes = `${service.url}/api/notes`;
    await fetch(notes);

    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((title) => cli.addNote(title, 'x')));
    const served = await readNotesBody(fetch(notes));
    await fetch(notes, createJsonRequest(createDraft({ title: 'by the service' })));
    await service.stop('SIGKILL');
    await cli.addNote('alone', 'x');

    expect(ids.toSorted()).toEqual(['1', '2', '3', '4']);
    expect(served.map(({ title }) => title).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    const titles = (await cli.readAllNotes()).map(({ title }) => title);
    expect(titles.slice(0, 2)).toEqual(['alone', 'by the service']);
    expect(titles).toHaveLength(6);
  });

  test('are those of the service at --url or NOTES_URL, whatever proxy is set, or of the store at --db', async () => {
    using cli = createTestCli();
    await using service = await startService();
    const NOTES_URL = service.url;
    const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };

    await runNotesCommand(['add', '-m', 'one', '--url', NOTES_URL], cli.env);
    await runNotesCommand(['add', '-m', 'two'], { ...cli.env, NOTES_URL, ...proxy });
    await runNotesCommand(['add', '-m', 'three', '--db', cli.path], {
      NOTES_URL,
      LOG_LEVEL: 'trace',
      PORT: 'tcp://x',
      MCP: '1',
    });

    expect(await readNotesBody(fetch(`${NOTES_URL}/api/notes`))).toMatchObject([{ title: 'one' }, { title: 'two' }]);
    expect(await cli.readAllNotes()).toMatchObject([{ title: 'three' }]);
  });

  test('are not created by reading: a missing file is reported, and a missing default store is empty', async () => {
    using folder = createTemporaryFolder();
    const db = join(folder.path, 'deep', 'typo.db');

    const named = await Promise.all(
      [['list'], ['show', '1'], ['export', '-'], ['edit', '1', '-t', 'x']].map((args) =>
        runNotesCommand([...args, '--db', db]),
      ),
    );
    const byDefault = await runNotesCommand(['list', '--json'], { XDG_DATA_HOME: folder.path });

    for (const { code, stderr } of named)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no file ${db}`)]);
    expect(byDefault).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('are waited for when a change is interrupted, until it is interrupted again', async () => {
    const asked = Promise.withResolvers<void>();
    await using service = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ method }) {
        if (method === 'GET') return Response.json(createPortableNote(1));
        asked.resolve();
        return new Promise<Response>(() => {});
      },
    });
    const child = Bun.spawn([...program, 'archive', '1', '--url', service.url.href], {
      env: { PATH: process.env['PATH'] ?? '' },
      stderr: 'pipe',
    });
    await asked.promise;

    child.kill('SIGINT');
    let stderr = '';
    await forEachLine(child.stderr, (line) => {
      stderr += line;
      child.kill('SIGINT');
    });

    expect([await child.exited, stderr]).toEqual([130, 'notes: Waiting for the outcome. Ctrl+C again ends at once']);
    await service.stop(true);
  });

  test.each([
    ['escape sequences in an error', () => Response.json({ error: '\x1b]0;owned\x07' }, { status: 400 }), 2],
    ['malformed notes', () => Response.json([{ id: 1, title: null, color: '\x1b[2J' }]), 1],
    ['another page', () => new Response('<html>', { status: 404 }), 5],
    ['a redirect', () => Response.redirect('/elsewhere', 307), 5],
  ])('are not read from a service that answers %s', async (_, fetch, code) => {
    await using service = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });

    const result = await runNotesCommand(['list', '--url', service.url.origin]);

    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toStartWith('notes: ');
    expect(result.stderr).not.toContain('\x1b');
  });

  test('are reported as unreachable, with 5, where no service answers', async () => {
    const result = await runNotesCommand(['list', '--url', 'http://127.0.0.1:1']);

    expect(result).toEqual({ code: 5, stdout: '', stderr: 'notes: No notes service answers at http://127.0.0.1:1\n' });
  });

  test('are changed only if they are still as they were read: else 4', async () => {
    using cli = createTestCli();
    await using service = await startService(cli.env);
    await cli.addNote('a', 'x');
    await using changer = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        if (request.method === 'PUT') await fetch(`${service.url}/api/notes/1/archive`, { method: 'PATCH' });
        const { pathname, search } = new URL(request.url);
        return fetch(service.url + pathname + search, request);
      },
    });

    const result = await runNotesCommand(['edit', '1', '-m', 'mine', '--url', changer.url.origin]);

    expect(result).toEqual({ code: 4, stdout: '', stderr: 'notes: Note with ID 1 has changed since it was read\n' });
  });
});

test('what is printed may be read in part, and is complete, however slowly it is read', async () => {
  using cli = createTestCli();
  await cli.run(['add'], 'x'.repeat(3 * 1024 * 1024));
  const part = `${programInShell} show 1 | head -c 1; echo " $\{PIPESTATUS[0]}"`;
  const whole = `${programInShell} show 1 | (sleep 0.3; wc -c)`;
  const discarded = `${programInShell} archive 1 | true; ${programInShell} list --archived | wc -l`;

  const shell = Bun.spawn(['bash', '-c', [part, whole, discarded].join('; ')], {
    env: { PATH: process.env['PATH'] ?? '', ...cli.env },
    stdout: 'pipe',
    stderr: 'pipe',
  });

  const lines = (await shell.stdout.text()).split('\n').map((line) => line.trim());
  expect(lines).toEqual(['x 0', String(3 * 1024 * 1024), '1', '']);
  expect(await shell.stderr.text()).toBe('');
});

describe('the note that words find', () => {
  test('is never one that matches only as a typing mistake: its title is suggested, with 3', async () => {
    using cli = createTestCli();
    await cli.addNote('Summarise', 'In three lines');
    await cli.addNote('Summarize', 'In one line');

    const one = await cli.run(['show', 'sumarise']);
    const both = await cli.run(['edit', 'sumarixe', '-m', 'lost']);

    const none = (word: string) => `notes: No note has the word "${word}". Did you mean`;
    expect(one).toEqual({ code: 3, stdout: '', stderr: `${none('sumarise')} 1 "Summarise"?\n` });
    expect(both).toMatchObject({ code: 3, stdout: '' });
    expect((await cli.readAllNotes()).map(({ content }) => content)).toEqual(['In one line', 'In three lines']);
  });

  test('may be archived: the command then says how to reach it', async () => {
    using cli = createTestCli();
    await cli.addNote('Old ways', 'x');
    await cli.addNote('New ways', 'x');
    await cli.run(['archive', '1']);

    const word = await cli.run(['show', 'old']);
    const words = await cli.run(['show', 'ways', 'old']);

    const rest = '1 archived note has';
    expect(word).toEqual({ code: 3, stdout: '', stderr: `notes: No note has the word "old". ${rest} it: add --all\n` });
    expect(words.stderr).toBe(`notes: No note has the words "ways old". ${rest} them: add --all\n`);
  });

  test('is the note with that id where digits are given, one at a time', async () => {
    using cli = createTestCli();
    await cli.addNote('007 and 99999999999999999', 'x');

    for (const digits of ['007', '99999999999999999']) {
      const expected = { code: 3, stdout: '', stderr: `notes: Note with ID ${digits} not found\n` };
      expect(await cli.run(['edit', digits, '-m', 'lost'])).toEqual(expected);
    }
    expect(await cli.run(['show', '7', '8'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'notes: 7 8 are ids: give one at a time\n',
    });
  });
});

describe('the help', () => {
  /** What the program prints for these words, in this process. */
  async function captureHelp(...words: string[]): Promise<string> {
    const given = process.argv.splice(2, Number.POSITIVE_INFINITY, ...words);
    const io = createRecordedIo();
    await runProgramOrThrow(io).catch(() => {}); // help ends a command by an error
    process.argv.splice(2, Number.POSITIVE_INFINITY, ...given);
    return io.stdout.text;
  }

  test('has a line for each command, fits into a terminal, and is printed by a program without words too', async () => {
    const [bare, asked] = await Promise.all([runNotesCommand([]), runNotesCommand(['--help'])]);

    expect(bare.stderr).toBe(asked.stdout);
    expect(asked.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const listed = asked.stdout.slice(asked.stdout.indexOf('\nNotes:'), asked.stdout.indexOf('\nExit codes:'));
    expect(listed.match(/^.+$/gm)?.filter((line) => !/^(\w[\w ]+:| {2}[a-z]+\S* .*\w.*)$/.test(line))).toEqual([]);
    for (const word of ['3    no such note', '\n  130  interrupted\n', 'NOTES_URL ', 'NOTES_EDITOR ']) {
      expect(asked.stdout).toContain(word);
    }
  });

  test('of every command begins with examples, and is shown by its name or its alias', async () => {
    const names = [...(await captureHelp('--help')).matchAll(/^ {2}([a-z|]+) .*/gm)]
      .flatMap(([, name = '']) => name.split('|'))
      .filter((name) => name !== 'help' && name !== 'notes');

    expect(names).toContain('ls');
    for (const name of names) {
      const help = await captureHelp(name, '--help');
      expect(help).toMatch(/^Examples:\n {2}.*\bnotes /);
      expect(help).toMatch(new RegExp(`^Usage: notes (.*\\|)?${name}\\b`, 'm'));
    }
    expect(await captureHelp('help', 'ls')).toBe(await captureHelp('list', '--help'));
  });

  test.each([
    [['lst', '--help'], "Unknown command 'lst'\n(Did you mean one of last, list, ls?)", 'notes'],
    [['list', '--limt', '1'], "Unknown option '--limt'\n(Did you mean --limit?)", 'notes list'],
    [
      ['ls', '-n', '0'],
      "Option '-n, --limit <number>' argument '0' is invalid. It must be a whole number, 1 or more.",
      'notes list',
    ],
  ])('is suggested after a mistake: %p', async (args, sentence, command) => {
    const result = await runNotesCommand(args);

    expect(result).toEqual({ code: 2, stdout: '', stderr: `notes: ${sentence}\nTry "${command} --help"\n` });
  });
});

test('JSON output escapes control characters, and parses back to the original', async () => {
  using cli = createTestCli();
  const title = 'a\x1b[2J\x7f\x9b2J\x9f\u00a0b';

  const added = await cli.run(['add', title, '-m', title, '--json']);
  const edited = await cli.run(['edit', '1', '-t', `${title}.`, '--json']);
  const shown = await cli.run(['show', '1', '--json']);
  const listed = await cli.run(['list', '--json']);
  const history = await cli.run(['history', '1', '--json']);

  const printed = [added, edited, shown, listed, history].map(({ stdout }) => stdout.trimEnd());
  expect(printed.filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
  expect(JSON.parse(added.stdout)).toMatchObject({ title, content: title });
  expect(JSON.parse(listed.stdout)).toEqual([JSON.parse(shown.stdout)]);
});
