/** The commands on notes, without a terminal: what they print for other programs, what they store, and their exit codes. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Note } from '../src/domain/note.ts';
import { program, run, startService, temporaryFolder } from './service.ts';

setDefaultTimeout(30_000);

/** Notes of its own for one test, and commands that work on them. */
function useNotes() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  const env = { DATABASE_URL: `sqlite:${path}` };
  return {
    folder: folder.path,
    path,
    env,
    notes: (args: readonly string[], stdin: string | Uint8Array = '') => run(args, env, stdin),
    add: async (title: string, content: string, ...flags: string[]) =>
      (await run(['add', title, '-m', content, ...flags], env)).stdout.trim(),
    json: async (...args: string[]): Promise<Note> => JSON.parse((await run([...args, '--json'], env)).stdout),
    all: async (): Promise<Note[]> => JSON.parse((await run(['list', '--all', '--json'], env)).stdout),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('add', () => {
  test('keeps what is piped in, byte for byte, and prints the id alone', async () => {
    using store = useNotes();
    const content = '\ufeff#!/bin/sh\r\necho "ä 🙂" \\\n\n';

    const result = await store.notes(['add'], content);
    const shown = await store.notes(['show', '1']);

    expect(result).toEqual({ code: 0, stdout: '1\n', stderr: '' });
    expect(shown).toEqual({ code: 0, stdout: content, stderr: '' });
    expect((await store.json('show', '1')).title).toBe('#!/bin/sh');
  });

  test('takes the text of -m or of a file, and what is chosen from flags, then from the environment', async () => {
    using store = useNotes();
    const file = join(store.folder, 'given.css');
    writeFileSync(file, 'a { color: red }');

    const first = await store.json(
      'add',
      'Of',
      'three',
      'words',
      '-m',
      'text',
      '-c',
      'css',
      '-g',
      'fifth',
      '--color',
      'info',
    );
    const second = await run(['add', '-f', file, '--json'], {
      ...store.env,
      NOTES_CATEGORY: 'css',
      NOTES_GROUP: 'third',
    });

    expect(first).toMatchObject({
      title: 'Of three words',
      content: 'text',
      category: 'css',
      group: 'fifth',
      color: 'info',
    });
    expect(JSON.parse(second.stdout)).toMatchObject({
      title: 'a { color: red }',
      content: 'a { color: red }',
      category: 'css',
      group: 'third',
      color: 'neutral',
    });
  });

  test.each([
    ['nothing', [], '', {}, 'There is no text'],
    ['bytes that are no text', [], new Uint8Array([0x61, 0xff]), {}, 'is not UTF-8 text'],
    ['NUL', [], 'a\0b', {}, 'Must not contain NUL'],
    ['a file that is not there', ['-f', '/nonexistent/file'], '', {}, 'cannot be read'],
    ['a category that does not exist', ['-c', 'foo', '-m', 'x'], '', {}, 'Allowed choices are css'],
    ['a wrong default', ['-m', 'x'], '', { NOTES_COLOR: 'pink' }, 'NOTES_COLOR must be one of primary'],
    ['two places', ['-m', 'x', '--url', 'http://127.0.0.1:1', '--db', 'y'], '', {}, 'exclude each other'],
    ['an address that is none', ['-m', 'x', '--url', 'localhost:3000'], '', {}, 'must begin with http'],
  ])('refuses %s, says why, and exits with 2', async (_, args, stdin, env, reason) => {
    using store = useNotes();

    const result = await run(['add', ...args], { ...store.env, ...env }, stdin);

    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(reason);
    expect(await store.all()).toEqual([]);
  });
});

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

  test('finds by words and filters, as the page does, and archived notes when they are asked for', async () => {
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
    expect(await ids('--archived')).toEqual(['3']);
    expect(await ids('--all')).toEqual(['3', '2', '1']);
    expect(await ids('-n', '1')).toEqual(['2']);
    expect(await ids('nowhere')).toEqual([]);
  });

  test('refuses a limit that is none', async () => {
    using store = useNotes();

    expect(await store.notes(['list', '-n', '0'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('show', () => {
  test('finds the one note that is meant: by id, by words, or by its whole title', async () => {
    using store = useNotes();
    await store.add('git', 'one');
    await store.add('git reset', 'two');

    const shown = await Promise.all([['1'], ['reset'], ['GIT']].map((words) => store.notes(['show', ...words])));

    expect(shown.map(({ stdout }) => stdout)).toEqual(['one', 'two', 'one']);
  });

  test('names the notes that are meant where nobody can be asked, and exits with 2', async () => {
    using store = useNotes();
    await store.add('git reset', 'one');
    await store.add('git "stash"', 'two');

    const result = await store.notes(['show', 'git']);

    expect(result).toEqual({
      code: 2,
      stdout: '',
      stderr: 'notes: 2 notes are meant. Name one by its id:\n  2  "git \\"stash\\""\n  1  "git reset"\n',
    });
  });

  test.each([[['7']], [['nowhere']], [['--archived']]])('exits with 3 for %p, which is not there', async (args) => {
    using store = useNotes();
    await store.add('a', 'b');

    expect(await store.notes(['show', ...args])).toMatchObject({ code: 3, stdout: '' });
  });

  test('puts values in the place of names, leaves those without one, and refuses names that are not there', async () => {
    using store = useNotes();
    await store.add('review', 'In {{language}}: {{ what }} {{.Names}}');

    const some = await store.notes(['show', '1', '--set', 'language=a=b']);
    const raw = await store.notes(['show', '1', '--raw']);
    const wrong = await store.notes(['show', '1', '--set', 'nobody=x']);

    expect(some.stdout).toBe('In a=b: {{ what }} {{.Names}}');
    expect(raw.stdout).toBe('In {{language}}: {{ what }} {{.Names}}');
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('It has {{language}}, {{what}}'),
    });
  });

  test('gives back every text that a note may hold', async () => {
    using store = useNotes();
    await store.notes(['add'], 'x');
    const text = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !text.includes('\0'));

    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        await store.notes(['edit', '1', '-f', '-'], content);

        expect((await store.notes(['show', '1'])).stdout).toBe(content);
      }),
      { numRuns: 12 },
    );
  });
});

describe('edit', () => {
  test('changes the fields that flags name, and nothing else', async () => {
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

  test('refuses an empty text and leaves the note as it is', async () => {
    using store = useNotes();
    await store.add('kept', 'text');

    const result = await store.notes(['edit', '1', '-m', '']);

    expect(result).toMatchObject({ code: 2, stderr: 'notes: Invalid content. Must be a non-empty string\n' });
    expect((await store.notes(['show', '1'])).stdout).toBe('text');
  });
});

describe('archive and unarchive', () => {
  test('take several ids, also those of a list that is piped in', async () => {
    using store = useNotes();
    for (const title of ['a', 'b', 'c']) await store.add(title, 'x');
    const list = await store.notes(['list', 'a']);

    const archived = await store.notes(['archive', '3', '-'], list.stdout);
    const back = await store.json('unarchive', '3');

    expect(archived).toEqual({ code: 0, stdout: '3\n1\n', stderr: '' });
    expect(back).toMatchObject({ id: 3, archived: false });
    expect((await store.all()).filter((note) => note.archived).map((note) => note.id)).toEqual([1]);
  });

  test('go on after one that is not there, say which, and exit with 3', async () => {
    using store = useNotes();
    await store.add('a', 'x');

    const result = await store.notes(['archive', '9', 'x', '1']);

    expect(result).toEqual({
      code: 3,
      stdout: '1\n',
      stderr: 'notes: Note with ID 9 not found\nnotes: Note with ID x not found\n',
    });
  });
});

describe('the notes that a command works on', () => {
  test('are reached through the service that holds the file, by themselves', async () => {
    using store = useNotes();
    await using service = await startService(store.env);

    const id = await store.add('through', 'the service');
    const answer = await fetch(`${service.url}/api/notes/${id}`);

    expect(await answer.json()).toMatchObject({ title: 'through', content: 'the service' });
    expect((await store.all()).length).toBe(1);
  });

  test('are reached directly again when the service has ended, in whatever way', async () => {
    using store = useNotes();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await using service = await startService(store.env);
      await store.add(signal, 'x');
      await service.stop(signal);
    }

    await store.add('directly', 'x');

    expect((await store.all()).map(({ title }) => title)).toEqual(['directly', 'SIGTERM', 'SIGKILL']);
    expect(existsSync(`${store.path}.url`)).toBe(false);
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

  test('are reached on this machine whatever proxy the environment names', async () => {
    using store = useNotes();
    await using _service = await startService(store.env);
    const env = { ...store.env, HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };

    const added = await run(['add', '-m', 'x'], env);
    const exported = await run(['export', '-'], env);

    expect([added.stdout, exported.stdout.slice(0, 8)]).toEqual(['1\n', '{"id":1,']);
  });

  test('are waited for while another command holds them', async () => {
    using store = useNotes();

    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((title) => store.add(title, 'x')));

    expect(ids.toSorted()).toEqual(['1', '2', '3', '4']);
  });

  test('are said to be out of reach, with 5, where no service answers', async () => {
    const result = await run(['list', '--url', 'http://127.0.0.1:1']);

    expect(result).toEqual({ code: 5, stdout: '', stderr: 'notes: No notes service answers at http://127.0.0.1:1\n' });
  });

  test('are changed only if they are as they were read: else 4', async () => {
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
  test('may be read in part only: the command then ends without a word', async () => {
    using store = useNotes();
    await store.notes(['add'], 'x'.repeat(1024 * 1024));
    const command = `${program.map((word) => `'${word}'`).join(' ')} show 1 | head -c 1`;

    const shell = Bun.spawn(['bash', '-c', `${command}; echo " $\{PIPESTATUS[0]}"`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stdout: 'pipe',
      stderr: 'pipe',
    });

    expect(await shell.stdout.text()).toBe('x 0\n');
    expect(await shell.stderr.text()).toBe('');
  });

  test('is complete, however late it is read', async () => {
    using store = useNotes();
    await store.notes(['add'], 'x'.repeat(3 * 1024 * 1024));
    const command = program.map((word) => `'${word}'`).join(' ');

    const shell = Bun.spawn(['bash', '-c', `${command} show 1 | (sleep 0.3; wc -c)`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stdout: 'pipe',
    });

    expect((await shell.stdout.text()).trim()).toBe(String(3 * 1024 * 1024));
  });

  test('needs no standard input', async () => {
    using store = useNotes();
    const command = program.map((word) => `'${word}'`).join(' ');

    const shell = Bun.spawn(['bash', '-c', `${command} add <&-; echo $?; ${command} add -m x <&-; echo $?`], {
      env: { PATH: process.env['PATH'] ?? '', ...store.env },
      stdout: 'pipe',
      stderr: 'ignore',
    });

    expect(await shell.stdout.text()).toBe('2\n1\n0\n');
  });
});

test('every command begins its help with examples, and tells its exit codes in the first one', async () => {
  const help = (await run(['--help'])).stdout;
  const names = [...help.matchAll(/^ {2}(\w+)[| ].*/gm)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'help');

  expect(help).toContain('3 no such note');
  expect(names.length).toBeGreaterThan(6);
  for (const name of names.filter((name) => name !== 'notes')) {
    expect((await run([name, '--help'])).stdout).toMatch(/^Examples:\n {2}.*\bnotes /);
  }
});
