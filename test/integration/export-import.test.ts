/** `notes export` and `notes import` from a shell: lossless in every format, and safe for existing files and notes. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportToFile } from '../../src/cli/commands/export/export-to-file.ts';
import { exportToFolder } from '../../src/cli/commands/export/export-to-folder.ts';
import type { Note } from '../../src/core/note.ts';
import { eventually } from '../support/eventually.ts';
import { useNotes } from '../support/notes.ts';
import { draft, jsonBody, main, run, startService } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

const time = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

function note(id: number, changes: Partial<Note> = {}): Note {
  const times = { createdAt: time(1), updatedAt: time(1) };
  return { id, ...draft({ title: `Note ${id}` }), archived: false, ...times, ...changes };
}

const linesOf = (notes: readonly object[]) => notes.map((one) => `${JSON.stringify(one)}\n`).join('');

function openFixture() {
  const { path: db, ...store } = useNotes();
  return {
    ...store,
    path: (name: string) => join(store.folder, name),
    notes: (...args: string[]) => store.notes(args),
    async stored(): Promise<Note[]> {
      await using opened = await openFile(db);
      return opened.list();
    },
  };
}

/** Counts the notes in a file while others use it; 0 where it is not ready yet. */
function countIn(path: string): number {
  try {
    using db = new Database(path, { readonly: true });
    return db.query<{ count: number }, []>('SELECT count(*) AS count FROM notes').get()?.count ?? 0;
  } catch {
    return 0;
  }
}

describe('export', () => {
  test('to JSON is byte for byte the list that the service returns', async () => {
    using files = openFixture();
    await using service = await startService({ DATABASE_URL: `sqlite:${files.path('notes.db')}` });
    for (const content of ['\u007f\u0085\u2028/"\\\b\u0001é😀', 'plain\r\n']) {
      await fetch(`${service.url}/api/notes`, jsonBody(draft({ content })));
    }
    const answer = await (await fetch(`${service.url}/api/notes`)).text();
    await service.stop();

    const { code, stdout } = await files.notes('export', '-', '--format', 'json');

    expect({ code, stdout }).toEqual({ code: 0, stdout: answer });
  });

  test('to a pipe is NDJSON, of the notes that match the filters', async () => {
    using files = openFixture();
    const notes = [note(1, { category: 'css' }), note(2, { archived: true }), note(3, { group: 'fifth' })];
    await files.notes('import', files.write('in.ndjson', linesOf(notes)));

    const all = await files.notes('export');
    const filtered = [['--archived'], ['--active'], ['-c', 'css'], ['-g', 'fifth']].map(
      async (flags) => (await files.notes('export', ...flags)).stdout,
    );

    expect(all).toEqual({ code: 0, stdout: linesOf(notes), stderr: '' });
    const [first, second, third] = notes.map((one) => linesOf([one]));
    expect(await Promise.all(filtered)).toEqual([second ?? '', `${first}${third}`, first ?? '', third ?? '']);
  });

  test('replaces no file and no filled folder without --force, and leaves no partial files', async () => {
    using files = openFixture();
    await files.notes('import', files.write('notes.ndjson', ''), '--format', 'ndjson');
    const file = files.write('notes.json', 'mine');
    mkdirSync(files.path('vault'));
    files.write('vault/mine.md', 'mine');
    await files.stored(); // creates an empty store

    const refused = [await files.notes('export', file), await files.notes('export', files.path('vault'))];
    const kept = [readFileSync(file, 'utf8'), readdirSync(files.path('vault'))];
    const forced = await files.notes('export', file, '--force');

    expect(refused.map(({ code }) => code)).toEqual([1, 1]);
    expect(refused[0]?.stderr).toContain('exists already. Name another one, or write over it with --force');
    expect(kept).toEqual(['mine', ['mine.md']]);
    expect([forced.code, readFileSync(file, 'utf8')]).toEqual([0, '[]']);
    expect(readdirSync(files.folder).sort()).toEqual([
      'notes.db',
      'notes.db.lock',
      'notes.json',
      'notes.ndjson',
      'vault',
    ]);
  });

  test('never replaces a file of the database, with any flags', async () => {
    using files = openFixture();
    await files.notes('import', files.write('in.ndjson', linesOf([note(1)])));
    symlinkSync(files.folder, files.path('linked'));
    symlinkSync(files.path('notes.db'), files.path('link.ndjson'));
    await using service = await startService({ DATABASE_URL: `sqlite:${files.path('notes.db')}` });
    const force = ['--force', '--format', 'ndjson'];
    const own = ['', '-wal', '-shm', '.lock'].map((suffix) => files.path(`notes.db${suffix}`));
    const linked = ['linked/notes.db', 'link.ndjson'].map(files.path);

    const through = await Promise.all(own.map((target) => files.notes('export', target, ...force)));
    const byUrl = await run(['export', files.path('notes.db'), ...force, '--url', service.url]);
    await service.stop();
    const direct = await Promise.all([...own, ...linked].map((target) => files.notes('export', target, ...force)));

    for (const { code, stderr } of [...through, byUrl, ...direct]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining('is a database, or belongs to one')]);
    }
    expect((await files.stored()).map(({ id }) => id)).toEqual([1]);
  });

  test('that fails leaves the old file as it was, and no partial new one', async () => {
    using files = openFixture();
    const file = files.write('notes.ndjson', 'mine');
    async function* failing() {
      yield [note(1)];
      throw new Error('The store failed');
    }

    const writing = [exportToFile({ path: file, force: true }, failing(), 'ndjson')];
    writing.push(exportToFolder({ path: files.path('vault'), force: false }, failing()));
    const outcomes = await Promise.allSettled(writing);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(readdirSync(files.folder)).toEqual(['notes.ndjson']);
  });

  test('to a folder replaces the files of its notes, also of retitled ones, and no others', async () => {
    using files = openFixture();
    const vault = files.path('vault');
    await files.notes('import', files.write('1.ndjson', linesOf([note(1, { title: 'Old' }), note(2)])));
    await files.notes('export', vault);
    files.write('vault/notes/1-mine.md', 'mine');
    files.write('vault/notes/3-gone.md', '---\nid: 3\n---\ngone');
    await files.notes('import', files.write('2.ndjson', linesOf([note(1, { title: 'New', updatedAt: time(2) })])));

    const { code } = await files.notes('export', vault, '--force');

    expect(code).toBe(0);
    const present = readdirSync(join(vault, 'notes')).sort();
    expect(present).toEqual(['1-mine.md', '1-new.md', '2-note-2.md', '3-gone.md']);
  });

  test('to a folder writes nothing if a link stands where the folder of a category belongs', async () => {
    using files = openFixture();
    await files.notes('import', files.write('in.ndjson', linesOf([note(1), note(2, { category: 'css' })])));
    for (const name of ['elsewhere', 'vault']) mkdirSync(files.path(name));
    symlinkSync('../elsewhere', files.path('vault/notes'));

    const { code, stderr } = await files.notes('export', files.path('vault'), '--force');

    const reason = 'is a link or a file, not a folder. Move it away, or name another folder';
    expect([code, stderr]).toEqual([1, `notes: Nothing was exported: ${files.path('vault/notes')} ${reason}\n`]);
    expect(['elsewhere', 'vault'].map((name) => readdirSync(files.path(name)))).toEqual([[], ['notes']]);
  });

  test.each([
    [['notes.txt'], 'notes.txt does not name a format. Add --format ndjson'],
    [['notes.ndjson.gz'], 'An export is not compressed: pipe it, as "notes export - | gzip > notes.ndjson.gz"'],
    [['-', '--format', 'markdown'], 'Markdown is exported as one file per note'],
  ])('%j is a usage error', async (args, expected) => {
    using files = openFixture();
    await files.notes('import', files.write('notes.ndjson', ''), '--format', 'ndjson');

    const { code, stderr } = await files.notes('export', ...args);

    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('import', () => {
  test('reports a bad line by its number, takes all others, and exits with 1', async () => {
    using files = openFixture();
    const lines = `${linesOf([note(1)])}{"id":\n${linesOf([{ ...note(3), color: 'pink' }, note(4)])}`;

    const { code, stdout, stderr } = await files.notes('import', files.write('in.ndjson', lines));

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('notes: line 2: Must be valid JSON\nnotes: line 3: Invalid color. Must be one of: ');
    expect(stderr).toContain('  2 added\n  2 bad, named above\n');
    expect(await files.stored()).toEqual([note(1), note(4)]);
  });

  test('keeps the newer of two notes with one id, and reports which were replaced or differ', async () => {
    using files = openFixture();
    const older = [1, 2, 3, 4].map((id) => note(id, { updatedAt: time(2) }));
    await files.notes('import', files.write('1.ndjson', linesOf(older)));
    const [same = note(1)] = older;
    const newer = note(2, { title: 'Newer', updatedAt: time(3) });
    const stale = note(3, { title: 'Stale', updatedAt: time(1) });
    const other = note(4, { title: 'Other', updatedAt: time(2) });
    const file = files.write('2.ndjson', linesOf([same, newer, stale, other, note(5)]));

    const dryRun = await files.notes('import', file, '--dry-run', '--json');
    const before = await files.stored();
    const { code, stdout, stderr } = await files.notes('import', file, '--json');

    const left = 'Note 4 "Other" stays as it is: the source has another text but the same updatedAt';
    const outcomes = { read: 5, added: 1, updated: 1, retitled: 0, unchanged: 1, versions: 1, left: 1, renumbered: 0 };
    const leftOut = { leftOut: 0, leftOutReasons: {}, leftOutParts: {}, unreadFiles: {} };
    const others = { bad: 0, ...leftOut, withheld: 0, updatedIds: [2], leftIds: [4], renumberedIds: [] };
    expect(code).toBe(1);
    expect(JSON.parse(dryRun.stdout)).toEqual({ dryRun: true, ...outcomes, ...others });
    expect(before).toEqual(older);
    expect([dryRun.stderr, stderr]).toEqual(Array(2).fill(expect.stringContaining(left)));
    expect(JSON.parse(stdout)).toEqual({ dryRun: false, ...outcomes, ...others });
    expect(await files.stored()).toEqual([same, newer, ...older.slice(2), note(5)]);
  });

  test('imports the earlier versions of each note, byte for byte, and only once', async () => {
    using files = openFixture();
    using others = openFixture();
    const texts = ['first', ' \r\n\u2028👍', 'x'.repeat(8_000_000), 'first', 'last'];
    const before: (readonly Note[])[] = [];
    {
      await using store = await openFile(files.path('notes.db'));
      for (const content of texts) await store.create(draft({ content }));
      for (const content of texts) await store.update(2, { content });
      await store.setArchived(2, true);
      before.push(...(await Array.fromAsync(store.history(2))));
    }
    const named = (at: string) => files.path(at);

    expect((await files.notes('export', named('all.ndjson'), '--history')).code).toBe(0);
    expect((await files.notes('export', named('all.json'), '--history')).code).toBe(0);
    expect((await files.notes('export', named('folder'), '--history')).code).toBe(2);
    const first = await others.notes('import', named('all.json'), '--json');
    const again = await others.notes('import', named('all.ndjson'), '--json');

    expect(JSON.parse(first.stdout)).toMatchObject({ read: 10, added: 5, versions: 5 });
    expect(JSON.parse(again.stdout)).toMatchObject({ read: 10, unchanged: 10 });
    expect(await others.stored()).toEqual(await files.stored());
    await using store = await openFile(others.path('notes.db'));
    expect((await Array.fromAsync(store.history(2))).flat()).toEqual(before.flat());
    expect(before.flat()).toHaveLength(5);
  });

  test('exports the earlier versions of the notes that the flags select, after the notes', async () => {
    using files = openFixture();
    {
      await using store = await openFile(files.path('notes.db'));
      for (const category of ['css', 'prompts', 'css'] as const)
        await store.create(draft({ category, content: 'old' }));
      for (const id of [1, 2, 3]) await store.update(id, { content: 'new' });
    }

    const { stdout } = await files.notes('export', '-', '--history', '-c', 'css');

    const lines: readonly Note[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id, content }) => `${id} ${content}`)).toEqual(['1 new', '3 new', '3 old', '1 old']);
  });

  test('takes a Markdown file that was edited by hand, with the time of the file', async () => {
    using files = openFixture();
    await files.notes('import', files.write('1.ndjson', linesOf([note(1), note(2)])));
    await files.notes('export', files.path('vault'));
    const file = files.path('vault/notes/1-note-1.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Some content', 'Edited by hand'));

    const { code, stdout } = await files.notes('import', files.path('vault'), '--json');

    const [first, second] = await files.stored();
    expect([code, JSON.parse(stdout).updatedIds]).toEqual([0, [1]]);
    expect(first).toMatchObject({ content: 'Edited by hand', updatedAt: statSync(file).mtime.toISOString() });
    expect(second).toEqual(note(2));
  });

  test('reads standard input, and gzip', async () => {
    using files = openFixture();
    const db = files.path('notes.db');
    const zipped = Bun.gzipSync(linesOf([note(2)]));

    const plain = await run(['import', '-', '--db', db], {}, linesOf([note(1)]));
    const unzipped = await files.notes('import', files.write('in.ndjson.gz', zipped));

    expect([plain.code, unzipped.code]).toEqual([0, 0]);
    expect(await files.stored()).toEqual([note(1), note(2)]);
  });

  test('reads nothing outside of a folder: links are reported, and not followed', async () => {
    using files = openFixture();
    files.write('secret.md', 'secret');
    mkdirSync(files.path('vault'));
    files.write('vault/mine.md', 'mine');
    symlinkSync('../secret.md', files.path('vault/link.md'));
    symlinkSync('..', files.path('vault/up'));

    const { code, stderr } = await files.notes('import', files.path('vault'), '--verbose');

    expect(code).toBe(0);
    expect(stderr).toContain('notes: link.md was left out: It is a link');
    expect((await files.stored()).map(({ content }) => content)).toEqual(['mine']);
  });

  test('of what holds no notes fails with a remedy, and makes no store', async () => {
    using files = openFixture();
    files.write('text.abc', 'Some text');
    files.write('empty.zip', `PK\x05\x06${'\0'.repeat(18)}`);
    for (const name of ['empty', 'styles']) mkdirSync(files.path(name));
    files.write('styles/a.css', 'a {}');

    const all = [
      [2, 'is in no known format: it is a text that ends with .abc', 'text.abc'],
      [1, 'there is no such file or folder', 'nowhere/x'],
      [2, 'empty holds no files\n', 'empty'],
      [2, 'empty.zip holds no files\n', 'empty.zip'],
    ] as const;
    for (const [code, reason, name] of all) {
      const result = await files.notes('import', files.path(name));
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(reason)]);
    }
    expect(existsSync(files.path('notes.db'))).toBe(false);

    const others = await files.notes('import', files.path('styles'), '--format', 'chatgpt');
    const sentence = `notes: ${files.path('styles')} holds no notes in the format chatgpt\n`;
    expect([others.code, others.stderr]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test('can be tried by a dry run before the store exists, and makes none', async () => {
    using files = openFixture();
    const file = files.write('notes.ndjson', linesOf([note(1)]));

    const { code, stderr } = await files.notes('import', file, '--dry-run');

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 added') });
    expect(existsSync(files.path('notes.db'))).toBe(false);
  });

  test('that is interrupted keeps what was merged, prints a summary, and exits with 130', async () => {
    using files = openFixture();
    const child = Bun.spawn([process.execPath, main, 'import', '-', '--db', files.path('notes.db')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: files.folder },
      stdin: 'pipe',
      stderr: 'pipe',
    });
    const notes = Array.from({ length: 2_500 }, (_, at) => note(at + 1));
    child.stdin.write(linesOf(notes));
    await child.stdin.flush();
    const isMerged = await eventually(() => countIn(files.path('notes.db')) >= 2_000);

    child.kill('SIGINT');
    const code = await child.exited;

    expect([isMerged, code]).toEqual([true, 130]);
    expect(await child.stderr.text()).toMatch(
      /^Read 2,\d{3} notes from standard input \(ndjson\):\n {2}2,\d{3} added\nTo archive .*\n {2}notes archive .* 1-2\d{3}\n$/,
    );
    expect((await files.stored()).length).toBeGreaterThanOrEqual(2_000);
  });
});
