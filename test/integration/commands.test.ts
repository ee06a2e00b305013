/** The commands on notes without a terminal: what they print, what they store, and their exit codes. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { eventually } from '../support/eventually.ts';
import { useNotes } from '../support/notes.ts';
import {
  draft,
  jsonBody,
  notesIn,
  portableNote,
  program,
  programInShell,
  readLines,
  run,
  startService,
  temporaryFolder,
  unprivileged,
} from '../support/service.ts';
import { makePipe } from '../support/system/pipe.ts';

setDefaultTimeout(60_000);

/** Opens a pipe for writing as soon as another program has opened it for reading. */
async function openedByReader(pipe: string): Promise<Disposable> {
  let fd: number | undefined;
  await eventually(() => {
    try {
      fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {} // not read yet
    return fd !== undefined;
  });
  return { [Symbol.dispose]: () => fd !== undefined && closeSync(fd) };
}

describe('add', () => {
  test('stores piped input byte for byte, and prints only the id', async () => {
    using store = useNotes();
    const content = '\ufeff#!/bin/sh\r\necho "ä 🙂" \\\n\n';

    const result = await store.notes(['add'], content);
    const shown = await store.notes(['show', '1']);

    expect(result).toEqual({ code: 0, stdout: '1\n', stderr: '' });
    expect(shown).toEqual({ code: 0, stdout: content, stderr: '' });
    expect((await store.json('show', '1')).title).toBe('#!/bin/sh');
  });

  test('takes fields from flags, else text, title and category from a file and its name', async () => {
    using store = useNotes();
    const file = (name: string) => store.write(name, '# first line');

    const given = ['-c', 'css', '-g', 'fifth', '--color', 'info'];
    const notes = [
      await store.json('add', 'Of', 'three', 'words', '-m', 'text', ...given),
      await store.json('add', '-f', file('deploy.prod.sh')),
      await store.json('add', '-f', file('.bashrc')),
      await store.json('add', 'Other title', '-f', file('reset.scss'), '-c', 'prompts'),
    ];

    const read = { content: '# first line', group: 'first', color: 'neutral' };
    expect(notes).toMatchObject([
      { title: 'Of three words', content: 'text', category: 'css', group: 'fifth', color: 'info' },
      { ...read, title: 'deploy.prod', category: 'bash-commands' },
      { ...read, title: '.bashrc', category: 'notes' },
      { ...read, title: 'Other title', category: 'prompts' },
    ]);
  });

  test('reads a pipe, and can be interrupted while that says nothing', async () => {
    using store = useNotes();
    const pipe = join(store.folder, 'pipe');
    makePipe(pipe);
    const ending = { timeout: 10_000, killSignal: 'SIGKILL' } as const; // should it wait for ever
    const env = { PATH: process.env['PATH'] ?? '', ...store.env };
    const start = () => Bun.spawn([...program, 'add', '-f', pipe], { env, ...ending });

    await using reader = start();
    writeFileSync(pipe, 'Through a pipe');
    expect(await reader.exited).toBe(0);
    await using waiting = start();
    using _writer = await openedByReader(pipe);
    waiting.kill('SIGINT');

    expect(await waiting.exited).toBe(130);
    expect(await store.all()).toMatchObject([{ content: 'Through a pipe' }]);
  });

  test.each([
    ['nothing', [], '', 'There is no text'],
    ['bytes that are not UTF-8', [], new Uint8Array([0x61, 0xff]), 'is not UTF-8 text'],
    ['NUL', [], 'a\0b', 'Must not contain NUL'],
    ['a blank text', ['-m', '   '], '', 'There is no text'],
    ['a text beside a file', ['-m', 'x', '-f', '/etc/hostname'], '', 'cannot be used with option'],
    ['two texts', ['-m', 'x', '-m', 'y'], '', 'It is given twice'],
    ['two files', ['-f', '-', '-f', '/etc/hostname'], 'x', 'It is given twice'],
    ['a text without end', ['-f', '/dev/zero'], '', 'notes: /dev/zero is longer than 64 MiB. Split it first\n'],
    ['a piped text that is as long', [], Buffer.alloc(64 * 2 ** 20 + 1, 'a'), 'Standard input is longer than 64'],
    ['a path with an unexpanded ~', ['-m', 'x', '--db', '~/notes.db'], '', '--db must be a path without ~'],
    ['a category with an escape sequence', ['-c', '\x1b[2J', '-m', 'x'], '', "argument '␛[2J' is invalid"],
    ['a category that does not exist', ['-c', 'foo', '-m', 'x'], '', 'Allowed choices are css'],
  ])('refuses %s, says why, and exits with 2', async (_, args, stdin, reason) => {
    using store = useNotes();

    const result = await store.notes(['add', ...args], stdin);

    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(reason);
    expect(await store.all()).toEqual([]);
  });
});

test.each([[['add']], [['edit', '1']], [['import']]])(
  'a file that %j cannot read ends it with 1, and the reason',
  async (args) => {
    using store = useNotes();
    await store.add('kept', 'x');
    const read = (file: string) => store.notes(args[0] === 'import' ? [...args, file] : [...args, '-f', file]);

    expect(await read('/nonexistent/file')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'notes: Cannot read /nonexistent/file: there is no such file or folder\n',
    });
  },
);

describe('list', () => {
  test('prints tab-separated lines, the newest first, with separators escaped', async () => {
    using store = useNotes();
    await store.add('one', 'x', '-c', 'css');
    await store.add('two\ttabs\nand \\', 'y');

    const { code, stdout } = await store.notes(['list']);

    const fields = stdout.split('\n').map((line) => line.split('\t').slice(0, 6));
    expect(code).toBe(0);
    expect(fields).toEqual([
      ['2', 'two\\ttabs\\nand \\\\', 'notes', 'first', 'neutral', 'false'],
      ['1', 'one', 'css', 'first', 'neutral', 'false'],
      [''],
    ]);
  });

  test('finds by words and filters, as the page does, and archived notes on request', async () => {
    using store = useNotes();
    await store.add('Undo', 'git reset', '-c', 'bash-commands', '-g', 'second');
    await store.add('reset of a form', 'css', '-c', 'css');
    await store.add('away', 'git reset');
    await store.notes(['archive', '3']);
    const ids = async (...args: string[]) => {
      const { stdout } = await store.notes(['ls', ...args]);
      return stdout.split('\n').flatMap((line) => line.split('\t', 1).filter(Boolean));
    };

    expect(await ids('reset')).toEqual(['2', '1']);
    expect(await ids('git', 'reset')).toEqual(['1']);
    expect(await ids('git', 'reest')).toEqual(['1']);
    expect(await ids('-c', 'bash-commands', '-g', 'second')).toEqual(['1']);
    expect(await ids('-c', 'css,bash-commands')).toEqual(['2', '1']);
    expect(await ids('-c', 'css', 'c:bash-commands', '--color', 'neutral')).toEqual(['2', '1']);
    expect(await ids('--color', 'info,error')).toEqual([]);
    expect(await ids('--archived')).toEqual(['3']);
    expect(await ids('--all')).toEqual(['3', '2', '1']);
    expect(await ids('-n', '1')).toEqual(['2']);
    expect(await ids('nowhere')).toEqual([]);
    expect(await ids('c:css,bash-commands')).toEqual(['2', '1']);
    expect(await ids('reset', 'c:css')).toEqual(['2']);
    expect(await ids('archived:true', 'git')).toEqual(['3']);
    expect(await ids('archived:true', '-c', 'css')).toEqual([]);
    expect(await store.notes(['ls', 'c:reset'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'notes: "c:reset" is no filter, so it was taken as a word\n',
    });
    expect(await store.notes(['show', 'g:second', '--raw'])).toMatchObject({ code: 0, stdout: 'git reset' });
    expect((await store.notes(['show', 'g:fifth'])).stderr).toContain('No note matches g:fifth');
    expect((await store.notes(['copy', '-c', 'prompts'])).stderr).toBe('notes: No note matches c:prompts\n');
    expect((await store.notes(['show', '--pick', '-g', 'third'])).stderr).toBe('notes: No note matches g:third\n');
  });

  test('says on stderr how many notes there are when a limit cuts the list', async () => {
    using store = useNotes();
    for (const title of ['One', 'Two', 'Three']) await store.add(title, 'text');

    const cut = await store.notes(['list', '-n', '2']);
    const whole = await store.notes(['list', '-n', '3']);
    const json = await store.notes(['list', '-n', '2', '--json']);

    expect(cut.stdout.match(/\n/g)).toHaveLength(2);
    expect([cut, whole, json].map(({ stderr }) => stderr)).toEqual(['2 of 3 notes\n', '', '']);
  });
});

test('a list is sorted by last change, creation or title, also if a limit cuts it', async () => {
  using store = useNotes();
  for (const title of ['note 10', 'Note 9', 'an old one']) await store.add(title, 'x');
  await store.notes(['edit', '1', '-m', 'y']);
  const titles = async (...args: string[]) =>
    JSON.parse((await store.notes(['list', '--json', ...args])).stdout).map(({ title }: Note) => title);

  expect(await titles()).toEqual(['note 10', 'an old one', 'Note 9']);
  expect(await titles('--sort', 'created')).toEqual(['an old one', 'Note 9', 'note 10']);
  expect(await titles('--sort', 'title', '-n', '2')).toEqual(['an old one', 'Note 9']);
  expect(await titles('note', '--sort', 'updated', '-n', '1')).toEqual(['note 10']);
});

describe('show', () => {
  test('finds a note by id, by words, or by its whole title', async () => {
    using store = useNotes();
    await store.add('git', 'one');
    await store.add('git reset', 'two');
    await store.add('Große Straße', 'three');
    await store.add('Große Straße, klein', 'four');
    const lines = [['1'], ['reset'], ['GIT'], ['grosse', 'strasse']];

    const shown = await Promise.all(lines.map((words) => store.notes(['show', ...words])));

    expect(shown.map(({ stdout }) => stdout)).toEqual(['one', 'two', 'one', 'three']);
  });

  test('lists the candidates where it cannot ask, and exits with 2', async () => {
    using store = useNotes();
    await store.add('git reset', 'one');
    await store.add('git "stash"', 'two');

    const result = await store.notes(['show', 'git']);

    expect(result).toEqual({
      code: 2,
      stdout: '',
      stderr: 'notes: 2 notes match. Give the id of one:\n  2  "git \\"stash\\""\n  1  "git reset"\n',
    });
  });

  test.each([[['7']], [['nowhere']], [['--archived']]])('exits with 3 for a missing note: %p', async (args) => {
    using store = useNotes();
    await store.add('a', 'b');

    expect(await store.notes(['show', ...args])).toMatchObject({ code: 3, stdout: '' });
  });

  test('fills in placeholders, prints nothing while one lacks a value, and the text as written on request', async () => {
    using store = useNotes();
    const content = 'In {{language}}: {{ what }} {{size=small}} {{.Names}}';
    await store.add('review', content);

    const filled = await store.notes(['show', '1', '--set', 'language=a=b', '--set', 'what=x']);
    const some = await store.notes(['show', '1', '--set', 'what=x']);
    const raw = await store.notes(['show', '1', '--raw']);
    const wrong = await store.notes(['show', '1', '--set', 'nobody=x']);

    expect(filled).toEqual({ code: 0, stdout: 'In a=b: x small {{.Names}}', stderr: '' });
    expect(some).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('{{language}} has no value') });
    expect(raw).toEqual({ code: 0, stdout: content, stderr: '' });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('edit', () => {
  test('changes only the fields that flags name', async () => {
    using store = useNotes();
    const id = await store.add('before', 'text', '-c', 'css');
    const before = await store.json('show', id);

    const after = await store.json('edit', id, '--title', 'after', '--color', 'error');

    expect(after).toEqual({ ...before, title: 'after', color: 'error', updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('writes nothing when nothing changes', async () => {
    using store = useNotes();
    const id = await store.add('same', 'text');
    const before = await store.json('show', id);

    const after = await store.json('edit', id, '--title', 'same', '-m', 'text');

    expect(after).toEqual(before);
  });

  test('refuses an empty text, and two, and leaves the note as it is', async () => {
    using store = useNotes();
    await store.add('kept', 'text');

    const result = await store.notes(['edit', '1', '-m', '']);
    const both = await store.notes(['edit', '1', '-m', 'x', '-f', '/etc/hostname']);

    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with option')]);
    expect(result).toMatchObject({ code: 2, stderr: 'notes: Invalid content. Must be a non-empty string\n' });
    expect((await store.notes(['show', '1'])).stdout).toBe('text');
  });
});

describe('archive and unarchive', () => {
  test('take several ids, also from a list that is piped in', async () => {
    using store = useNotes();
    for (const title of ['a', 'b', 'c']) await store.add(title, 'x');
    const list = await store.notes(['list', 'a']);

    const archived = await store.notes(['archive', '3', '-', '--yes'], list.stdout);
    const back = await store.json('unarchive', '3');

    expect(archived).toEqual({ code: 0, stdout: '3\n1\n', stderr: '' });
    expect(back).toMatchObject({ id: 3, archived: false });
    expect((await store.all()).filter((note) => note.archived).map((note) => note.id)).toEqual([1]);
  });

  test('continue after a missing note, report it, and exit with 3', async () => {
    using store = useNotes();
    await store.add('a', 'x');

    const result = await store.notes(['archive', '9', '0', '1']);

    expect(result).toEqual({
      code: 3,
      stdout: '1\n',
      stderr: 'notes: Note with ID 9 not found\nnotes: Note with ID 0 not found\n',
    });
  });
});

test('archive and unarchive find a note by words, among those that they would change', async () => {
  using store = useNotes();
  await store.add('Old ways', 'x');
  await store.add('New ways', 'x');

  const found = await store.json('archive', 'old');
  const several = await store.notes(['archive', 'ways', 'new']);
  const none = await store.notes(['archive', 'new']);
  const active = await store.notes(['archive', 'nowhere']);
  const back = await store.notes(['unarchive', 'new']);
  const again = await store.notes(['unarchive', 'new']);
  const many = await store.notes(['archive', '1', '2', '--json']);

  expect(found).toMatchObject({ id: 1, archived: true });
  expect(several).toEqual({ code: 0, stdout: '2\n', stderr: '' });
  expect(none).toMatchObject({ code: 3, stderr: 'notes: 2 is already archived\n' });
  expect(again).toMatchObject({ code: 3, stderr: 'notes: 2 is not archived\n' });
  expect(active.stderr).toBe('notes: No note has the word "nowhere". "notes list" shows all notes\n');
  expect(back.stdout).toBe('2\n');
  expect(JSON.parse(many.stdout)).toMatchObject([{ id: 1 }, { id: 2 }]);
});

test('an empty file is not turned into a database by reading', async () => {
  using store = useNotes();
  writeFileSync(store.path, '');
  const reads = [['list'], ['show', '1'], ['export', '-'], ['labels'], ['edit', '1', '-t', 'x'], ['archive', '1']];

  for (const args of reads) await run([...args, '--db', store.path]);
  const { code, stdout } = await run(['list', '--json', '--db', store.path]);

  expect([code, stdout, readFileSync(store.path, 'utf8')]).toEqual([0, '[]\n', '']);
  expect(readdirSync(store.folder)).toEqual(['notes.db']);
});

test.skipIf(process.platform !== 'linux')('a file that another program has locked: who holds it is said', async () => {
  using store = useNotes();
  await store.add('a', 'x');
  const file = join(store.folder, 'in.ndjson');
  writeFileSync(file, JSON.stringify(portableNote(9)));
  const hold = `(globalThis.db = new (require('bun:sqlite').Database)('${store.path}')).run('BEGIN IMMEDIATE'); console.log('held');`;
  await using other = Bun.spawn([process.execPath, '-e', `${hold} setInterval(() => {}, 1000)`], { stdout: 'pipe' });
  await other.stdout.getReader().read();

  const results = await Promise.all([store.notes(['import', file]), store.notes(['archive', '1'])]);

  for (const { code, stderr } of results)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`(process ${other.pid})`)]);
});

describe('the notes that a command works on', () => {
  test('are in its file, also beside a service, which shows them at once, and after it has ended in any way', async () => {
    using store = useNotes();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await using service = await startService(store.env);
      const notes = `${service.url}/api/notes`;
      await fetch(notes);

      await store.add(`beside ${signal}`, 'x');
      const served = await notesIn(fetch(notes));

      expect(served.at(-1)?.title).toBe(`beside ${signal}`);
      await fetch(notes, jsonBody(draft({ title: `before ${signal}` })));
      expect((await store.all())[0]?.title).toBe(`before ${signal}`);
      await service.stop(signal);
    }

    await store.add('alone', 'x');

    const titles = ['alone', ...['SIGTERM', 'SIGKILL'].flatMap((signal) => [`before ${signal}`, `beside ${signal}`])];
    expect((await store.all()).map(({ title }) => title)).toEqual(titles);
  });

  test('are those of the service at --url or NOTES_URL, or of the store at --db', async () => {
    using store = useNotes();
    await using service = await startService();

    await run(['add', '-m', 'one', '--url', service.url], store.env);
    await run(['add', '-m', 'two'], { ...store.env, NOTES_URL: service.url });
    await run(['add', '-m', 'three', '--db', store.path], { NOTES_URL: service.url });

    expect(await (await fetch(`${service.url}/api/notes`)).json()).toMatchObject([{ title: 'one' }, { title: 'two' }]);
    expect(await store.all()).toMatchObject([{ title: 'three' }]);
  });

  test('are reached on this machine whatever proxy the environment sets', async () => {
    await using service = await startService();
    const env = { NOTES_URL: service.url, HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };

    const added = await run(['add', '-m', 'x'], env);
    const exported = await run(['export', '-'], env);

    expect([added.stdout, exported.stdout.slice(0, 8)]).toEqual(['1\n', '{"id":1,']);
  });

  test('are not created by reading: a missing file is reported, and a missing default store is empty', async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, 'deep', 'typo.db');

    const named = await Promise.all(
      [['list'], ['show', '1'], ['export', '-'], ['edit', '1', '-t', 'x']].map((args) => run([...args, '--db', db])),
    );
    const byDefault = await run(['list', '--json'], { XDG_DATA_HOME: folder.path });

    for (const { code, stderr } of named)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no file ${db}`)]);
    expect(byDefault).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('are not empty because their folder cannot be read', () => {
    using folder = temporaryFolder();
    const notes = join(folder.path, 'notes');
    mkdirSync(notes, { mode: 0 });

    const { exitCode, stdout, stderr } = Bun.spawnSync([...unprivileged, ...program, 'list', '--json'], {
      env: { PATH: process.env['PATH'] ?? '', XDG_DATA_HOME: folder.path },
    });

    expect([exitCode, stdout.toString()]).toEqual([1, '']);
    expect(stderr.toString()).toContain(`Cannot use ${join(notes, 'notes.db')}: permission is denied`);
  });

  test('are waited for when a change is interrupted, until it is interrupted again', async () => {
    const asked = Promise.withResolvers<void>();
    await using service = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ method }) {
        if (method === 'GET') return Response.json(portableNote(1));
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
    await readLines(child.stderr, (line) => {
      stderr += line;
      child.kill('SIGINT');
    });

    expect([await child.exited, stderr]).toEqual([130, 'notes: Waiting for the outcome. Ctrl+C again ends at once']);
    await service.stop(true);
  });

  test('do not depend on valid settings of the service', async () => {
    using store = useNotes();

    const result = await run(['add', '-m', 'x'], { ...store.env, LOG_LEVEL: 'trace', PORT: 'tcp://x', MCP: '1' });

    expect(result).toEqual({ code: 0, stdout: '1\n', stderr: '' });
  });

  test.each([
    ['escape sequences in an error', () => Response.json({ error: '\x1b]0;owned\x07' }, { status: 400 }), 2],
    ['malformed notes', () => Response.json([{ id: 1, title: null, color: '\x1b[2J' }]), 1],
    ['another page', () => new Response('<html>', { status: 404 }), 1],
    ['another API', () => Response.json({ error: 'no' }, { status: 404 }), 5],
    ['a redirect', () => Response.redirect('/elsewhere', 307), 5],
  ])('are not read from a service that answers %s', async (_, fetch, code) => {
    await using service = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });

    const result = await run(['list', '--url', service.url.origin]);

    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toStartWith('notes: ');
    expect(result.stderr).not.toContain('\x1b');
  });

  test('are waited for while another command holds them', async () => {
    using store = useNotes();

    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((title) => store.add(title, 'x')));

    expect(ids.toSorted()).toEqual(['1', '2', '3', '4']);
  });

  test('are reported as unreachable, with 5, where no service answers', async () => {
    const result = await run(['list', '--url', 'http://127.0.0.1:1']);

    expect(result).toEqual({ code: 5, stdout: '', stderr: 'notes: No notes service answers at http://127.0.0.1:1\n' });
  });

  test('are changed only if they are still as they were read: else 4', async () => {
    using store = useNotes();
    await using service = await startService(store.env);
    await store.add('a', 'x');
    await using changer = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        if (request.method === 'PUT') await fetch(`${service.url}/api/notes/1/archive`, { method: 'PATCH' });
        const { pathname, search } = new URL(request.url);
        const { method, headers } = request;
        return fetch(service.url + pathname + search, {
          method,
          headers,
          body: method === 'PUT' ? await request.text() : null,
        });
      },
    });

    const result = await run(['edit', '1', '-m', 'mine', '--url', changer.url.origin]);

    expect(result).toEqual({ code: 4, stdout: '', stderr: 'notes: Note with ID 1 has changed since it was read\n' });
  });
});

describe('what is printed', () => {
  test('may be read in part: the command then ends silently', async () => {
    using store = useNotes();
    await store.notes(['add'], 'x'.repeat(1024 * 1024));
    const command = `${programInShell} show 1 | head -c 1`;

    const shell = Bun.spawn(['bash', '-c', `${command}; echo " $\{PIPESTATUS[0]}"`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stdout: 'pipe',
      stderr: 'pipe',
    });

    expect(await shell.stdout.text()).toBe('x 0\n');
    expect(await shell.stderr.text()).toBe('');
  });

  test('may be discarded: the command still does its work, and its exit code is right', async () => {
    using store = useNotes();
    for (const title of ['a', 'b', 'c']) await store.add(title, 'x');
    const file = join(store.folder, 'in.ndjson');
    writeFileSync(file, `x\n${JSON.stringify({ ...(await store.json('show', '1')), id: 9, title: 'imported' })}\n`);
    const script = `(${programInShell} archive 1 2 3; echo $? >&2) | true; (${programInShell} import '${file}' 2>&1; echo $? >'${file}.code') | true`;

    const shell = Bun.spawn(['bash', '-c', `${script}; sleep 0.5`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stderr: 'pipe',
    });

    expect(await shell.stderr.text()).toBe('0\n');
    expect(await eventually(() => existsSync(`${file}.code`))).toBe(true);
    expect(readFileSync(`${file}.code`, 'utf8')).toBe('1\n');
    expect((await store.all()).map(({ title, archived }) => [title, archived])).toEqual(
      expect.arrayContaining([
        ['imported', false],
        ['a', true],
        ['b', true],
        ['c', true],
      ]),
    );
  });

  test('is complete, however slowly it is read', async () => {
    using store = useNotes();
    await store.notes(['add'], 'x'.repeat(3 * 1024 * 1024));

    const shell = Bun.spawn(['bash', '-c', `${programInShell} show 1 | (sleep 0.3; wc -c)`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stdout: 'pipe',
    });

    expect((await shell.stdout.text()).trim()).toBe(String(3 * 1024 * 1024));
  });

  test('needs no standard input', async () => {
    using store = useNotes();

    const shell = Bun.spawn(
      ['bash', '-c', `${programInShell} add <&-; echo $?; ${programInShell} add -m x <&-; echo $?`],
      {
        env: { PATH: process.env['PATH'] ?? '', ...store.env },
        stdout: 'pipe',
        stderr: 'ignore',
      },
    );

    expect(await shell.stdout.text()).toBe('2\n1\n0\n');
  });
});

test('the help of every command begins with examples, and the first help lists the exit codes', async () => {
  const help = (await run(['--help'])).stdout;
  const names = [...help.matchAll(/^ {2}([a-z|]+) .*/gm)]
    .flatMap(([, name = '']) => name.split('|'))
    .filter((name) => name !== 'help');

  expect(help).toContain('3    no such note');
  expect(names).toContain('ls');
  for (const name of names.filter((name) => name !== 'notes')) {
    const { stdout } = await run([name, '--help']);
    expect(stdout).toMatch(/^Examples:\n {2}.*\bnotes /);
    expect(stdout).toMatch(new RegExp(`^Usage: notes (.*\\|)?${name}\\b`, 'm'));
  }
});

describe('the note that words find', () => {
  test('is never one that matches only as a typing mistake: its title is suggested, with 3', async () => {
    using store = useNotes();
    await store.add('Summarise', 'In three lines');
    await store.add('Summarize', 'In one line');

    const one = await store.notes(['show', 'sumarise']);
    const both = await store.notes(['edit', 'sumarixe', '-m', 'lost']);

    const none = (word: string) => `notes: No note has the word "${word}". Did you mean`;
    expect(one).toEqual({ code: 3, stdout: '', stderr: `${none('sumarise')} 1 "Summarise"?\n` });
    expect(both).toMatchObject({ code: 3, stdout: '' });
    expect((await store.all()).map(({ content }) => content)).toEqual(['In one line', 'In three lines']);
  });

  test('may be archived: the command then says how to reach it', async () => {
    using store = useNotes();
    await store.add('Old ways', 'x');
    await store.add('New ways', 'x');
    await store.notes(['archive', '1']);

    const word = await store.notes(['show', 'old']);
    const words = await store.notes(['show', 'ways', 'old']);

    const rest = '1 archived note has';
    expect(word).toEqual({ code: 3, stdout: '', stderr: `notes: No note has the word "old". ${rest} it: add --all\n` });
    expect(words.stderr).toBe(`notes: No note has the words "ways old". ${rest} them: add --all\n`);
  });

  test.each([[['0']], [['007']], [['99999999999999999']]])(
    'is the note with that id where digits are given: %p is no id',
    async (words) => {
      using store = useNotes();
      await store.add('007 and 0 and 99999999999999999', 'x');

      const shown = await store.notes(['show', ...words]);
      const edited = await store.notes(['edit', ...words, '-m', 'lost']);

      const expected = { code: 3, stdout: '', stderr: `notes: Note with ID ${words[0]} not found\n` };
      expect([shown, edited]).toEqual([expected, expected]);
    },
  );

  test('is only one at a time', async () => {
    using store = useNotes();
    await store.add('7 and 8', 'x');

    const result = await store.notes(['show', '7', '8']);

    expect(result).toEqual({ code: 2, stdout: '', stderr: 'notes: 7 8 are ids: give one at a time\n' });
  });
});

describe('a list of notes to archive', () => {
  test.each(['archive', 'unarchive'])(
    '%s shows a list and changes nothing where it cannot ask for confirmation',
    async (verb) => {
      using store = useNotes();
      for (const title of ['a', 'b']) await store.add(title, 'x');
      const before = await store.all();

      const several = await store.notes([verb, '-'], '1\n2\n9\n');
      const one = await store.notes(['archive', '-'], '1\n');

      const title = verb === 'archive' ? 'Archive' : 'Unarchive';
      expect(several).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `notes: Note with ID 9 not found\n${title} 2 notes:\n  1  a\n  2  b\n` +
          'notes: Cannot ask without a terminal, so nothing was changed: add --yes to confirm\n',
      });
      expect(one).toEqual({ code: 0, stdout: '1\n', stderr: '' });
      expect((await store.all()).filter(({ archived }) => !archived)).toEqual(before.filter(({ id }) => id === 2));
    },
  );

  test('is refused with 2 before anything is archived if it holds a word', async () => {
    using store = useNotes();
    await store.add('a', 'x');

    const result = await store.notes(['archive', '1', '-'], 'docker\n');

    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('"docker" is not an id') });
    expect(await store.all()).toMatchObject([{ archived: false }]);
  });
});

describe('the title of a new note', () => {
  test('is given in words or by a flag, and is the first line where it is blank', async () => {
    using store = useNotes();

    const flag = await store.json('add', '-t', 'By a flag', '-m', 'x');
    const blank = await store.json('add', ' ', '-m', 'first line\nsecond');
    const both = await store.notes(['add', 'words', '-t', 'flag', '-m', 'x']);

    expect([flag.title, blank.title]).toEqual(['By a flag', 'first line']);
    expect(both).toEqual({ code: 2, stdout: '', stderr: 'notes: Give one title: as words or with -t\n' });
  });
});

describe('the help', () => {
  test('has a line for each command, and every line fits into a terminal', async () => {
    const [bare, asked] = await Promise.all([run([]), run(['--help'])]);

    expect(bare.stderr).toBe(asked.stdout);
    expect(asked.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const listed = asked.stdout.slice(asked.stdout.indexOf('\nNotes:'), asked.stdout.indexOf('\nExit codes:'));
    expect(listed.match(/^.+$/gm)?.filter((line) => !/^(\w[\w ]+:| {2}[a-z]+\S* .*\w.*)$/.test(line))).toEqual([]);
    for (const word of ['Import and export:', '\n  130  interrupted\n', 'NOTES_URL ', 'NOTES_EDITOR ']) {
      expect(asked.stdout).toContain(word);
    }
  });

  test.each([
    [['rm', '1'], "Unknown command 'rm'\n(Did you mean archive? Notes are archived, not deleted)", 'notes'],
    [['lst', '--help'], "Unknown command 'lst'\n(Did you mean one of last, list, ls?)", 'notes'],
    [
      ['ls', '-c', 'css,foo'],
      "Option '-c, --category <categories>' argument 'css,foo' is invalid. Allowed choices are css, host-town, prompts, notes, chat-tool, editor-chats, bash-commands.",
      'notes list',
    ],
    [['help', 'lst'], "Unknown command 'lst'\n(Did you mean one of last, list, ls?)", 'notes'],
    [['list', '--limt', '1'], "Unknown option '--limt'\n(Did you mean --limit?)", 'notes list'],
    [
      ['ls', '-n', '0'],
      "Option '-n, --limit <number>' argument '0' is invalid. It must be a whole number, 1 or more.",
      'notes list',
    ],
  ])('is suggested after a mistake: %p', async (args, sentence, command) => {
    const result = await run(args);

    expect(result).toEqual({ code: 2, stdout: '', stderr: `notes: ${sentence}\nTry "${command} --help"\n` });
  });

  test('of a command is shown by its name or its alias', async () => {
    const [help, flag] = await Promise.all([run(['help', 'ls']), run(['list', '--help'])]);

    expect(help).toEqual(flag);
    expect(flag.stdout).toStartWith('Examples:\n');
  });
});

test('JSON output escapes control characters, and parses back to the original', async () => {
  using store = useNotes();
  const title = 'a\x1b[2J\x7f\x9b2J\x9f\u00a0b';

  const added = await store.notes(['add', title, '-m', title, '--json']);
  const edited = await store.notes(['edit', '1', '-t', `${title}.`, '--json']);
  const shown = await store.notes(['show', '1', '--json']);
  const listed = await store.notes(['list', '--json']);
  const history = await store.notes(['history', '1', '--json']);

  const printed = [added, edited, shown, listed, history].map(({ stdout }) => stdout.trimEnd());
  expect(printed.filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
  expect(JSON.parse(added.stdout)).toMatchObject({ title, content: title });
  expect(JSON.parse(listed.stdout)).toEqual([JSON.parse(shown.stdout)]);
});
