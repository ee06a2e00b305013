/** The commands that show and restore earlier versions, and `edit` of many notes, without a terminal. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createPortableNote } from '../support/sample-notes.ts';
import { createTestCli } from '../support/test-cli.ts';

test('history lists versions with the changes that followed, as lines, JSON and diffs', async () => {
  using cli = createTestCli();
  await cli.addNote('One', 'a\r\nb\nc');
  await cli.run(['edit', '1', '-m', 'a\r\nB\nc\nd\n']);
  const before = await cli.readNote('1');
  await cli.run(['edit', '1', '-t', 'Uno\n', '--color', 'info']);

  const lines = await cli.run(['history', '1']);
  const json = JSON.parse((await cli.run(['history', 'uno', '--json'])).stdout);
  const diff = await cli.run(['history', '1', '--diff']);
  const newest = await cli.run(['history', '1', '-n', '1']);

  const fields = lines.stdout.split('\n').map((line) => line.split('\t'));
  expect(fields).toEqual([
    ['1', before.updatedAt, 'title,color', '0', '0'],
    ['2', before.createdAt, 'content', '2', '1'],
    [''],
  ]);
  expect(json).toMatchObject([
    { version: 1, changed: ['title', 'color'], note: before },
    { version: 2, added: 2 },
  ]);
  expect(diff.stdout).toBe(
    [
      `Version 1 of note 1, of ${before.updatedAt}, was then changed`,
      'title: "One" → "Uno\\n"',
      'color: "neutral" → "info"',
      '',
      `Version 2 of note 1, of ${before.createdAt}, was then changed`,
      `--- note 1, version 2\t${before.createdAt}`,
      `+++ note 1, version 1\t${before.updatedAt}`,
      '@@ -1,3 +1,4 @@',
      ' a\r',
      '-b',
      '-c',
      '\\ No newline at end of file',
      '+B',
      '+c',
      '+d',
      '',
    ].join('\n'),
  );
  expect(newest.stdout).toBe(`${lines.stdout.split('\n')[0]}\n`);

  await cli.addNote('Unchanged', 'a');
  expect(await cli.run(['history', '2'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await cli.run(['history', '2', '--json'])).stdout).toBe('[]\n');
  expect(await cli.run(['history', '7'])).toMatchObject({ code: 3, stdout: '' });
});

describe('a version', () => {
  test('is printed byte for byte, and restored by an ordinary update', async () => {
    using cli = createTestCli();
    const texts = ['\ufeffa\r\nb\r\n', ' \t\u0001\u007f\u2028é漢👍', 'third'];
    await cli.addNote('One', texts[0] ?? '', '-c', 'css');
    for (const text of texts.slice(1)) await cli.run(['edit', '1', '-f', '-'], text);
    await cli.run(['archive', '1']);

    const shown = await cli.run(['show', '1', '--version', '1', '--all']);
    const first = await cli.run(['show', '1', '--version', '2']);
    const reverted = await cli.run(['revert', '1']);
    const after = await cli.readNote('1');
    await cli.run(['revert', 'One', '--version', '3', '--json']);

    expect([first.stdout, shown.stdout]).toEqual(texts.slice(0, 2));
    expect(reverted).toEqual({ code: 0, stdout: '1\n', stderr: '' });
    expect(after).toMatchObject({ content: texts[1], category: 'css', archived: true });
    expect((await cli.readNote('1')).content).toBe(texts[0] ?? '');
    expect((await cli.run(['history', '1'])).stdout.split('\n')).toHaveLength(5);
  });

  test('that is missing is reported, with 3; only a --version before the command means the program', async () => {
    using cli = createTestCli();
    await cli.addNote('One', 'a');
    const refusal = 'notes: Note 1 has no earlier version\n';

    expect(await cli.run(['revert', '1'])).toEqual({ code: 3, stdout: '', stderr: refusal });
    expect(await cli.run(['show', '1', '--version', '1'])).toEqual({ code: 3, stdout: '', stderr: refusal });
    await cli.run(['edit', '1', '-m', 'b']);
    expect((await cli.run(['revert', '1', '--version', '2'])).stderr).toBe(
      'notes: Note 1 has no version 2. "notes history 1" lists its versions\n',
    );
    expect((await cli.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+ \(.+\)\n$/);
  });
});

describe('what an import added', () => {
  test('is archived by the command that it prints, and nothing else', async () => {
    using cli = createTestCli();
    await cli.addNote('One', 'a');
    await cli.addNote('Two', 'b');
    const { createdAt } = await cli.readNote('2');
    const lines = [
      createPortableNote(2, { title: 'Newer', createdAt, updatedAt: '2090-01-01T00:00:00.000Z' }),
      createPortableNote(1, { title: 'Of a taken id' }),
      ...[5, 6, 7, 9].map((id) => createPortableNote(id)),
      { ...createPortableNote(0, { title: 'Without id' }), id: undefined },
    ];
    const file = cli.writeFile('import.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));

    const { stderr } = await cli.run(['import', file]);
    const command = stderr.split('\n').at(-2)?.trim() ?? '';
    const shown = await cli.run(command.split(' ').slice(1));
    const archived = await cli.run([...command.split(' ').slice(1), '--yes']);

    expect(command).toMatch(/^notes archive 5-7 9-11$/);
    expect([shown.code, shown.stderr.split('\n')[0]]).toEqual([2, 'Archive 6 notes:']);
    expect(archived).toMatchObject({ code: 0, stdout: '5\n6\n7\n9\n10\n11\n' });
    expect((await cli.readAllNotes()).filter((note) => !note.archived).map(({ title }) => title)).toEqual([
      'Newer',
      'One',
    ]);
  });

  test('names the store as it was given; an import that adds nothing, or only tries, prints no command', async () => {
    using cli = createTestCli();
    const other = join(cli.folder, "it's another.db");
    const note = JSON.stringify(createPortableNote(9));

    const tried = await cli.run(['import', '-', '--dry-run', '--db', other], note);
    const added = await cli.run(['import', '-', '--db', other], note);
    const again = await cli.run(['import', '-', '--db', other], note);

    expect(added.stderr).toEndWith(
      `To archive what was added:\n  notes archive --db '${other.replace("'", "'\\''")}' 9\n`,
    );
    expect(tried.stderr + again.stderr).not.toContain('archive');
  });
});

describe('edit of many', () => {
  test('- reads ids from standard input, as archive does, and never searches for them', async () => {
    using cli = createTestCli();
    await cli.addNote('with - a dash', 'x');
    await cli.addNote('meant', 'x');

    const result = await cli.run(['edit', '-', '--color', 'info'], '2\tmeant\tnotes\n');

    expect(result).toEqual({ code: 0, stdout: '2\n', stderr: '' });
    expect((await cli.readAllNotes()).map(({ id, color }) => [id, color])).toEqual([
      [2, 'info'],
      [1, 'neutral'],
    ]);
  });

  test('shows what it would change, and changes nothing without --yes', async () => {
    using cli = createTestCli();
    const notes = Array.from({ length: 12 }, (_, n) =>
      createPortableNote(n + 1, { title: `Note ${n + 1}`, category: n === 0 ? 'notes' : 'css' }),
    );
    await cli.run(['import', '-'], notes.map((note) => JSON.stringify(note)).join('\n'));
    const before = await cli.readAllNotes();
    const { stdout: listed } = await cli.run(['list', '-c', 'css', '--json']);

    const where = await cli.run(['edit', '--where-category', 'css', '--color', 'info', '-g', 'third']);
    const piped = await cli.run(['edit', '-', '--color', 'info'], listed);
    const ids = await cli.run(['edit', '2', '3', '--color', 'info']);

    expect([where, piped, ids].map(({ code, stdout }) => [code, stdout])).toEqual([2, 2, 2].map((code) => [code, '']));
    expect(where.stderr).toMatch(/^Change 11 notes to group third, color info:\n {2}2 {2}Note 2\n/);
    expect(where.stderr).toContain('  11  Note 11\n  and 1 more\nnotes: Cannot ask without a terminal');
    expect(piped.stderr).toStartWith('Change 11 notes to color info:\n');
    expect(ids.stderr).toStartWith('Change 2 notes to color info:\n  2  Note 2\n  3  Note 3\nnotes: ');
    expect(await cli.readAllNotes()).toEqual(before);
  });

  test('changes each matching note once, and reports missing ones', async () => {
    using cli = createTestCli();
    for (const title of ['One', 'Two', 'Three']) await cli.addNote(title, 'x', '-g', 'second');
    await cli.run(['archive', '3']);

    const where = await cli.run(['edit', '--where-group', 'second', '--color', 'info', '--yes']);
    const archived = await cli.run(['edit', '--where-archived', '--color', 'error', '--yes', '--json']);
    const ids = await cli.run(['edit', '1', '9', '1', '2', '--color', 'info', '-g', 'first', '--yes']);
    const again = await cli.run(['edit', '1', '2', '--color', 'info']);

    expect(where).toEqual({ code: 0, stdout: '1\n2\n', stderr: '' });
    expect(JSON.parse(archived.stdout)).toMatchObject([{ id: 3, color: 'error', archived: true }]);
    expect(ids).toEqual({ code: 3, stdout: '1\n2\n', stderr: 'notes: Note with ID 9 not found\n' });
    expect(again).toEqual({ code: 0, stdout: '', stderr: '2 notes already had that\n' });
  });

  test('refuses what is not for many, with 2', async () => {
    using cli = createTestCli();
    await cli.addNote('a', 'x');
    const refusals = [
      [['1', '2', '-m', 'x'], 'Many notes cannot share a title or content'],
      [['1', '2'], 'Say what to change: --category, --group or --color'],
      [['a', '--where-group', 'first', '-g', 'second'], 'ids, not both'],
    ] as const;

    for (const [args, sentence] of refusals) {
      const { code, stdout, stderr } = await cli.run(['edit', ...args]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    }
    expect(await cli.readNote('1')).toMatchObject({ group: 'first', content: 'x' });
  });
});
