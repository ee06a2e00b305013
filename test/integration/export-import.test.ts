/** `notes export` and `notes import` from a shell: lossless in every format, and safe for existing files and notes. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportToFile } from '../../src/cli/commands/export/export-to-file.ts';
import { exportToFolder } from '../../src/cli/commands/export/export-to-folder.ts';
import type { Note } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft, createUnstoredNote } from '../support/sample-notes.ts';
import { createJsonRequest, mainPath, runNotesCommand, startService } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';
import { createTestCli } from '../support/test-cli.ts';

const time = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

function note(id: number, changes: Partial<Note> = {}): Note {
  const times = { createdAt: time(1), updatedAt: time(1) };
  return { id, ...createUnstoredNote({ title: `Note ${id}`, ...times }), ...changes };
}

const toNdjson = (notes: readonly object[]) => notes.map((one) => `${JSON.stringify(one)}\n`).join('');

function createCliWithPaths() {
  const { path: db, ...cli } = createTestCli();
  return {
    ...cli,
    path: (name: string) => join(cli.folder, name),
    runCommand: (...args: string[]) => cli.run(args),
    async readStoredNotes(): Promise<Note[]> {
      await using opened = await openFile(db);
      return opened.list();
    },
  };
}

/** Counts the notes in a file while others use it; 0 where it is not ready yet. */
function countNotesInFile(path: string): number {
  try {
    using db = new Database(path, { readonly: true });
    return db.query<{ count: number }, []>('SELECT count(*) AS count FROM notes').get()?.count ?? 0;
  } catch {
    return 0;
  }
}

describe('export', () => {
  test('to JSON is byte for byte the list that the service returns', async () => {
    using cli = createCliWithPaths();
    await using service = await startService({ DATABASE_URL: `sqlite:${cli.path('notes.db')}` });
    for (const content of ['\u007f\u0085\u2028/"\\\b\u0001é😀', 'plain\r\n']) {
      await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ content })));
    }
    const answer = await (await fetch(`${service.url}/api/notes`)).text();
    await service.stop();

    const { code, stdout } = await cli.runCommand('export', '-', '--format', 'json');

    expect({ code, stdout }).toEqual({ code: 0, stdout: answer });
  });

  test('to a pipe is NDJSON, of the notes that match the filters', async () => {
    using cli = createCliWithPaths();
    const notes = [note(1, { category: 'css' }), note(2, { archived: true }), note(3, { group: 'fifth' })];
    await cli.runCommand('import', cli.writeFile('in.ndjson', toNdjson(notes)));

    const all = await cli.runCommand('export');
    const filtered = [['--archived'], ['--active'], ['-c', 'css'], ['-g', 'fifth']].map(
      async (flags) => (await cli.runCommand('export', ...flags)).stdout,
    );

    expect(all).toEqual({ code: 0, stdout: toNdjson(notes), stderr: '' });
    const [first, second, third] = notes.map((one) => toNdjson([one]));
    expect(await Promise.all(filtered)).toEqual([second ?? '', `${first}${third}`, first ?? '', third ?? '']);
  });

  test('replaces no file and no filled folder without --force, and leaves no partial files', async () => {
    using cli = createCliWithPaths();
    await cli.runCommand('import', cli.writeFile('notes.ndjson', ''), '--format', 'ndjson');
    const file = cli.writeFile('notes.json', 'mine');
    mkdirSync(cli.path('vault'));
    cli.writeFile('vault/mine.md', 'mine');
    await cli.readStoredNotes(); // creates an empty store

    const refused = [await cli.runCommand('export', file), await cli.runCommand('export', cli.path('vault'))];
    const kept = [readFileSync(file, 'utf8'), readdirSync(cli.path('vault'))];
    const forced = await cli.runCommand('export', file, '--force');

    expect(refused.map(({ code }) => code)).toEqual([1, 1]);
    expect(refused[0]?.stderr).toContain('exists already. Name another one, or write over it with --force');
    expect(kept).toEqual(['mine', ['mine.md']]);
    expect([forced.code, readFileSync(file, 'utf8')]).toEqual([0, '[]']);
    expect(readdirSync(cli.folder).sort()).toEqual([
      'notes.db',
      'notes.db.lock',
      'notes.json',
      'notes.ndjson',
      'vault',
    ]);
  });

  test('never replaces a file of the database, with any flags', async () => {
    using cli = createCliWithPaths();
    await cli.runCommand('import', cli.writeFile('in.ndjson', toNdjson([note(1)])));
    symlinkSync(cli.folder, cli.path('linked'));
    symlinkSync(cli.path('notes.db'), cli.path('link.ndjson'));
    await using service = await startService({ DATABASE_URL: `sqlite:${cli.path('notes.db')}` });
    const force = ['--force', '--format', 'ndjson'];
    const own = ['', '-wal', '-shm', '.lock'].map((suffix) => cli.path(`notes.db${suffix}`));
    const linked = ['linked/notes.db', 'link.ndjson'].map(cli.path);

    const through = await Promise.all(own.map((target) => cli.runCommand('export', target, ...force)));
    const byUrl = await runNotesCommand(['export', cli.path('notes.db'), ...force, '--url', service.url]);
    await service.stop();
    const direct = await Promise.all([...own, ...linked].map((target) => cli.runCommand('export', target, ...force)));

    for (const { code, stderr } of [...through, byUrl, ...direct]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining('is a database, or belongs to one')]);
    }
    expect((await cli.readStoredNotes()).map(({ id }) => id)).toEqual([1]);
  });

  test('that fails leaves the old file as it was, and no partial new one', async () => {
    using cli = createCliWithPaths();
    const file = cli.writeFile('notes.ndjson', 'mine');
    async function* failing() {
      yield [note(1)];
      throw new Error('The store failed');
    }

    const writing = [exportToFile({ path: file, force: true }, failing(), 'ndjson')];
    writing.push(exportToFolder({ path: cli.path('vault'), force: false }, failing()));
    const outcomes = await Promise.allSettled(writing);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(readdirSync(cli.folder)).toEqual(['notes.ndjson']);
  });

  test('to a folder replaces the files of its notes, also of retitled ones, and no others', async () => {
    using cli = createCliWithPaths();
    const vault = cli.path('vault');
    await cli.runCommand('import', cli.writeFile('1.ndjson', toNdjson([note(1, { title: 'Old' }), note(2)])));
    await cli.runCommand('export', vault);
    cli.writeFile('vault/notes/1-mine.md', 'mine');
    cli.writeFile('vault/notes/3-gone.md', '---\nid: 3\n---\ngone');
    await cli.runCommand(
      'import',
      cli.writeFile('2.ndjson', toNdjson([note(1, { title: 'New', updatedAt: time(2) })])),
    );

    const { code } = await cli.runCommand('export', vault, '--force');

    expect(code).toBe(0);
    const present = readdirSync(join(vault, 'notes')).sort();
    expect(present).toEqual(['1-mine.md', '1-new.md', '2-note-2.md', '3-gone.md']);
  });

  test('to a folder writes nothing if a link stands where the folder of a category belongs', async () => {
    using cli = createCliWithPaths();
    await cli.runCommand('import', cli.writeFile('in.ndjson', toNdjson([note(1), note(2, { category: 'css' })])));
    for (const name of ['elsewhere', 'vault']) mkdirSync(cli.path(name));
    symlinkSync('../elsewhere', cli.path('vault/notes'));

    const { code, stderr } = await cli.runCommand('export', cli.path('vault'), '--force');

    const reason = 'is a link or a file, not a folder. Move it away, or name another folder';
    expect([code, stderr]).toEqual([1, `notes: Nothing was exported: ${cli.path('vault/notes')} ${reason}\n`]);
    expect(['elsewhere', 'vault'].map((name) => readdirSync(cli.path(name)))).toEqual([[], ['notes']]);
  });

  test.each([
    [['notes.txt'], 'notes.txt does not name a format. Add --format ndjson'],
    [['notes.ndjson.gz'], 'An export is not compressed: pipe it, as "notes export - | gzip > notes.ndjson.gz"'],
    [['-', '--format', 'markdown'], 'Markdown is exported as one file per note'],
  ])('%j is a usage error', async (args, expected) => {
    using cli = createCliWithPaths();
    await cli.runCommand('import', cli.writeFile('notes.ndjson', ''), '--format', 'ndjson');

    const { code, stderr } = await cli.runCommand('export', ...args);

    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('import', () => {
  test('reports a bad line by its number, takes all others, and exits with 1', async () => {
    using cli = createCliWithPaths();
    const lines = `${toNdjson([note(1)])}{"id":\n${toNdjson([{ ...note(3), color: 'pink' }, note(4)])}`;

    const { code, stdout, stderr } = await cli.runCommand('import', cli.writeFile('in.ndjson', lines));

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('notes: line 2: Must be valid JSON\nnotes: line 3: Invalid color. Must be one of: ');
    expect(stderr).toContain('  2 added\n  2 bad, named above\n');
    expect(await cli.readStoredNotes()).toEqual([note(1), note(4)]);
  });

  test('keeps the newer of two notes with one id, and reports which were replaced or differ', async () => {
    using cli = createCliWithPaths();
    const older = [1, 2, 3, 4].map((id) => note(id, { updatedAt: time(2) }));
    await cli.runCommand('import', cli.writeFile('1.ndjson', toNdjson(older)));
    const [same = note(1)] = older;
    const newer = note(2, { title: 'Newer', updatedAt: time(3) });
    const stale = note(3, { title: 'Stale', updatedAt: time(1) });
    const other = note(4, { title: 'Other', updatedAt: time(2) });
    const file = cli.writeFile('2.ndjson', toNdjson([same, newer, stale, other, note(5)]));

    const dryRun = await cli.runCommand('import', file, '--dry-run', '--json');
    const before = await cli.readStoredNotes();
    const { code, stdout, stderr } = await cli.runCommand('import', file, '--json');

    const left = 'Note 4 "Other" stays as it is: the source has another text but the same updatedAt';
    const outcomes = { read: 5, added: 1, updated: 1, retitled: 0, unchanged: 1, versions: 1, left: 1, renumbered: 0 };
    const leftOut = { leftOut: 0, leftOutReasons: {}, leftOutParts: {}, unreadFiles: {} };
    const others = {
      pinned: 0,
      notPinned: 0,
      bad: 0,
      ...leftOut,
      withheld: 0,
      updatedIds: [2],
      leftIds: [4],
      renumberedIds: [],
    };
    expect(code).toBe(1);
    expect(JSON.parse(dryRun.stdout)).toEqual({ dryRun: true, ...outcomes, ...others });
    expect(before).toEqual(older);
    expect([dryRun.stderr, stderr]).toEqual(Array(2).fill(expect.stringContaining(left)));
    expect(JSON.parse(stdout)).toEqual({ dryRun: false, ...outcomes, ...others });
    expect(await cli.readStoredNotes()).toEqual([same, newer, ...older.slice(2), note(5)]);
  });

  test('imports the earlier versions of each note, byte for byte, and only once', async () => {
    using cli = createCliWithPaths();
    using others = createCliWithPaths();
    const texts = ['first', ' \r\n\u2028👍', 'x'.repeat(8_000_000), 'first', 'last'];
    const before: (readonly Note[])[] = [];
    {
      await using store = await openFile(cli.path('notes.db'));
      for (const content of texts) await store.create(createDraft({ content }));
      for (const content of texts) await store.update(2, { content });
      await store.setArchived(2, true);
      before.push(...(await Array.fromAsync(store.history(2))));
    }
    const named = (at: string) => cli.path(at);

    expect((await cli.runCommand('export', named('all.ndjson'), '--history')).code).toBe(0);
    expect((await cli.runCommand('export', named('all.json'), '--history')).code).toBe(0);
    expect((await cli.runCommand('export', named('folder'), '--history')).code).toBe(2);
    const first = await others.runCommand('import', named('all.json'), '--json');
    const again = await others.runCommand('import', named('all.ndjson'), '--json');

    expect(JSON.parse(first.stdout)).toMatchObject({ read: 10, added: 5, versions: 5 });
    expect(JSON.parse(again.stdout)).toMatchObject({ read: 10, unchanged: 10 });
    expect(await others.readStoredNotes()).toEqual(await cli.readStoredNotes());
    await using store = await openFile(others.path('notes.db'));
    expect((await Array.fromAsync(store.history(2))).flat()).toEqual(before.flat());
    expect(before.flat()).toHaveLength(5);
  });

  test('exports the earlier versions of the notes that the flags select, after the notes', async () => {
    using cli = createCliWithPaths();
    {
      await using store = await openFile(cli.path('notes.db'));
      for (const category of ['css', 'prompts', 'css'] as const)
        await store.create(createDraft({ category, content: 'old' }));
      for (const id of [1, 2, 3]) await store.update(id, { content: 'new' });
    }

    const { stdout } = await cli.runCommand('export', '-', '--history', '-c', 'css');

    const lines: readonly Note[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id, content }) => `${id} ${content}`)).toEqual(['1 new', '3 new', '3 old', '1 old']);
  });

  test('takes a Markdown file that was edited by hand, with the time of the file', async () => {
    using cli = createCliWithPaths();
    await cli.runCommand('import', cli.writeFile('1.ndjson', toNdjson([note(1), note(2)])));
    await cli.runCommand('export', cli.path('vault'));
    const file = cli.path('vault/notes/1-note-1.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Some content', 'Edited by hand'));

    const { code, stdout } = await cli.runCommand('import', cli.path('vault'), '--json');

    const [first, second] = await cli.readStoredNotes();
    expect([code, JSON.parse(stdout).updatedIds]).toEqual([0, [1]]);
    expect(first).toMatchObject({ content: 'Edited by hand', updatedAt: statSync(file).mtime.toISOString() });
    expect(second).toEqual(note(2));
  });

  test('reads standard input, and gzip', async () => {
    using cli = createCliWithPaths();
    const db = cli.path('notes.db');
    const zipped = Bun.gzipSync(toNdjson([note(2)]));

    const plain = await runNotesCommand(['import', '-', '--db', db], {}, toNdjson([note(1)]));
    const unzipped = await cli.runCommand('import', cli.writeFile('in.ndjson.gz', zipped));

    expect([plain.code, unzipped.code]).toEqual([0, 0]);
    expect(await cli.readStoredNotes()).toEqual([note(1), note(2)]);
  });

  test('reads nothing outside of a folder: links are reported, and not followed', async () => {
    using cli = createCliWithPaths();
    cli.writeFile('secret.md', 'secret');
    mkdirSync(cli.path('vault'));
    cli.writeFile('vault/mine.md', 'mine');
    symlinkSync('../secret.md', cli.path('vault/link.md'));
    symlinkSync('..', cli.path('vault/up'));

    const { code, stderr } = await cli.runCommand('import', cli.path('vault'), '--verbose');

    expect(code).toBe(0);
    expect(stderr).toContain('notes: link.md was left out: It is a link');
    expect((await cli.readStoredNotes()).map(({ content }) => content)).toEqual(['mine']);
  });

  test('of what holds no notes fails with a remedy, and makes no store', async () => {
    using cli = createCliWithPaths();
    cli.writeFile('text.abc', 'Some text');
    cli.writeFile('empty.zip', `PK\x05\x06${'\0'.repeat(18)}`);
    for (const name of ['empty', 'styles']) mkdirSync(cli.path(name));
    cli.writeFile('styles/a.css', 'a {}');

    const all = [
      [2, 'is in no known format: it is a text that ends with .abc', 'text.abc'],
      [1, 'there is no such file or folder', 'nowhere/x'],
      [2, 'empty holds no files\n', 'empty'],
      [2, 'empty.zip holds no files\n', 'empty.zip'],
    ] as const;
    for (const [code, reason, name] of all) {
      const result = await cli.runCommand('import', cli.path(name));
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(reason)]);
    }
    expect(existsSync(cli.path('notes.db'))).toBe(false);

    const others = await cli.runCommand('import', cli.path('styles'), '--format', 'chatgpt');
    const sentence = `notes: ${cli.path('styles')} holds no notes in the format chatgpt\n`;
    expect([others.code, others.stderr]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test('can be tried by a dry run before the store exists, and makes none', async () => {
    using cli = createCliWithPaths();
    const file = cli.writeFile('notes.ndjson', toNdjson([note(1)]));

    const { code, stderr } = await cli.runCommand('import', file, '--dry-run');

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 added') });
    expect(existsSync(cli.path('notes.db'))).toBe(false);
  });

  test('that is interrupted keeps what was merged, prints a summary, and exits with 130', async () => {
    using cli = createCliWithPaths();
    const child = Bun.spawn([process.execPath, mainPath, 'import', '-', '--db', cli.path('notes.db')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: cli.folder },
      stdin: 'pipe',
      stderr: 'pipe',
    });
    const notes = Array.from({ length: 2_500 }, (_, at) => note(at + 1));
    child.stdin.write(toNdjson(notes));
    await child.stdin.flush();
    const isMerged = await isEventuallyTrue(() => countNotesInFile(cli.path('notes.db')) >= 2_000);

    child.kill('SIGINT');
    const code = await child.exited;

    expect([isMerged, code]).toEqual([true, 130]);
    expect(await child.stderr.text()).toMatch(
      /^Read 2,\d{3} notes from standard input \(ndjson\):\n {2}2,\d{3} added\nTo archive .*\n {2}notes archive .* 1-2\d{3}\n$/,
    );
    expect((await cli.readStoredNotes()).length).toBeGreaterThanOrEqual(2_000);
  });
});

describe('pins', () => {
  const formats = [['notes.ndjson'], ['notes.json'], ['vault']] as const;

  test.each(formats)('travel in %s, also to and from a service, and follow the new ids of notes', async (target) => {
    using from = createCliWithPaths();
    using to = createCliWithPaths();
    await using service = await startService({ DATABASE_URL: `sqlite:${to.path('notes.db')}` });
    await from.runCommand('import', from.writeFile('in.ndjson', toNdjson([note(1), note(2), note(3)])));
    await from.runCommand('pin', '1', '3');
    await to.runCommand('add', 'Pinned before', '-m', 'x');
    await to.runCommand('pin', '1');

    const exported = await from.runCommand('export', from.path(target));
    const tried = await to.runCommand('import', '--dry-run', from.path(target), '--url', service.url);
    const before = await (await fetch(`${service.url}/api/pins`)).json();
    const imported = await to.runCommand('import', from.path(target), '--url', service.url);
    const again = await to.runCommand('import', from.path(target), '--url', service.url);
    const pinned = await to.runCommand('list', '--pinned', '--url', service.url, '--json');
    const back = await to.runCommand('export', '-', '--url', service.url);

    expect(exported.code).toBe(0);
    expect([tried.stderr, imported.stderr]).toEqual([
      expect.stringContaining('2 pinned, after those that were pinned before'),
      expect.stringContaining('2 pinned, after those that were pinned before'),
    ]);
    expect([imported.code, again.code, again.stderr.includes('pinned')]).toEqual([0, 0, false]);
    expect(before).toEqual({ ids: [1] });
    expect(JSON.parse(pinned.stdout).map(({ title }: Note) => title)).toEqual(['Pinned before', 'Note 3', 'Note 1']);
    expect(back.stdout.match(/"title":"[^"]*"|"pin":\d/g)).toEqual([
      '"title":"Pinned before"',
      '"pin":1',
      ...['"title":"Note 2"', '"title":"Note 3"', '"pin":2', '"title":"Note 1"', '"pin":3'],
    ]);
  });

  test('beyond 100 are left out, which is said', async () => {
    using from = createCliWithPaths();
    using to = createCliWithPaths();
    const ids = Array.from({ length: 100 }, (_, at) => at + 1);
    const pinned = ids.map((id) => ({ ...note(id), pin: id }));
    await to.runCommand('add', 'Pinned before', '-m', 'x');
    await to.runCommand('pin', '1');

    const { code, stderr } = await to.runCommand('import', from.writeFile('in.ndjson', toNdjson(pinned)));

    expect(code).toBe(0);
    expect(stderr).toContain('  99 pinned, after those that were pinned before\n');
    expect(stderr).toContain('  1 not pinned, since at most 100 notes can be\n');
    const { stdout } = await to.runCommand('list', '--pinned', '--json');
    const titles = JSON.parse(stdout).map(({ title }: Note) => title);
    expect([titles[0], titles[1], titles.at(-1), titles.length]).toEqual(['Pinned before', 'Note 1', 'Note 99', 100]);
  });
});
