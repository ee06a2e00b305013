/** The commands on notes at a terminal: what they show and ask, and that they lose no text. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { program, runNotesCommand } from '../support/service.ts';
import { keys, Terminal, type TerminalOptions } from '../support/terminal/terminal.ts';
import { createTestCli } from '../support/test-cli.ts';

/** A separate store for one test; `editor` is a shell script that changes the file `$1`. */
function createCliAtTerminal(editor = 'true') {
  const cli = createTestCli();
  const script = cli.writeFile('editor', `#!/bin/sh\n${editor}\n`);
  chmodSync(script, 0o755);
  const env = { ...cli.env, EDITOR: script, TMPDIR: cli.folder, NOTES: program.join(' ') };
  return {
    ...cli,
    env,
    open: (args: readonly string[], options: TerminalOptions = {}) =>
      new Terminal([...program, ...args], { ...options, env: { ...env, ...options.env } }),
  };
}

/** The path of the kept text, from the screen. */
const keptPath = (terminal: Terminal) =>
  /kept in ([^\s:]+)/.exec(terminal.output.replaceAll(/\r?\n/g, ' '))?.[1] ?? 'nowhere';

describe('edit', () => {
  test('opens the text in the editor and stores it as typed, without the line break that editors add', async () => {
    using cli = createCliAtTerminal(`printf 'after\\n' > "$1"`);
    const id = await cli.addNote('a note', 'before');
    await using terminal = cli.open(['edit', 'a', 'note']);

    const code = await terminal.waitForExitCode();

    expect([code, (await cli.readNote(id)).content]).toEqual([0, 'after']);
    expect(terminal.screenText).toContain('Changed note 1: a note');
  });

  test('writes nothing when nothing was changed', async () => {
    using cli = createCliAtTerminal('touch "$1"');
    const id = await cli.addNote('a note', 'text');
    const before = await cli.readNote(id);
    await using terminal = cli.open(['edit', id]);

    const code = await terminal.waitForExitCode();

    expect([code, await cli.readNote(id)]).toEqual([0, before]);
    expect(terminal.screenText).toContain('Unchanged: note 1: a note');
  });

  test('keeps the text and says what to do, with 4, when the note has changed meanwhile', async () => {
    using cli = createCliAtTerminal(`printf mine > "$1"; $NOTES edit 1 -m theirs >/dev/null`);
    const id = await cli.addNote('a note', 'text');
    await using terminal = cli.open(['edit', id], { columns: 400 });

    const code = await terminal.waitForExitCode();

    expect([code, (await cli.readNote(id)).content]).toEqual([4, 'theirs']);
    const path = keptPath(terminal);
    expect(terminal.screenText).toContain('notes: Note 1 was changed while you edited it. Yours is kept in ');
    expect(terminal.screenText).toContain(`${path}: look at "notes show 1", then "notes edit 1 -f ${path}"`);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('keeps the text when the editor fails or the text cannot be stored, and gives the reason first', async () => {
    using failing = createCliAtTerminal(`printf mine > "$1"; exit 3`);
    using refused = createCliAtTerminal(`printf 'mine\\0' > "$1"`);
    await failing.addNote('a', 'x');
    await refused.addNote('a', 'x');
    await using first = failing.open(['edit', '1'], { columns: 400 });
    await using second = refused.open(['edit', '1'], { columns: 400 });

    const codes = await Promise.all([first.waitForExitCode(), second.waitForExitCode()]);

    expect(codes).toEqual([1, 2]);
    expect(first.screenText).toMatch(/exited with 3\. Nothing was stored\. Your text is kept in /);
    expect(second.screenText).toMatch(/Invalid content\..* Your text is kept in /);
    expect(readFileSync(keptPath(first), 'utf8')).toBe('mine');
    expect(readFileSync(keptPath(second), 'utf8')).toBe('mine\0');
    expect((await failing.readNote('1')).content + (await refused.readNote('1')).content).toBe('xx');
  });

  test('keeps no empty text', async () => {
    using cli = createCliAtTerminal(`printf '  \\n' > "$1"`);
    await cli.addNote('a', 'x');
    await using terminal = cli.open(['edit', '1'], { columns: 200 });

    const code = await terminal.waitForExitCode();

    expect([code, terminal.screenText.trim()]).toEqual([1, 'notes: The text is empty, so nothing was stored']);
    expect((await cli.readAllNotes()).map(({ content }) => content)).toEqual(['x']);
    expect(readdirSync(cli.folder).filter((name) => name.startsWith('notes-'))).toEqual([]);
  });
});

describe('add', () => {
  test('opens an editor where no text is given, and takes the first line as the title', async () => {
    using cli = createCliAtTerminal(`printf 'git stash\\n# for later\\n' > "$1"`);
    await using terminal = cli.open(['add', '-c', 'bash-commands']);

    const code = await terminal.waitForExitCode();

    expect(code).toBe(0);
    expect(await cli.readAllNotes()).toMatchObject([{ title: 'git stash', content: 'git stash\n# for later' }]);
    expect(terminal.screenText).toContain('Added note 1: git stash');
  });
});

describe('show', () => {
  test('prints times in the local time zone', async () => {
    using cli = createCliAtTerminal();
    const id = await cli.addNote('a', 'x');
    const { updatedAt } = await cli.readNote(id);
    await using terminal = cli.open(['show', id], { env: { NO_COLOR: '1', TZ: 'Asia/Kathmandu' } });

    await terminal.waitForExitCode();

    const there = new Date(Date.parse(updatedAt) + 345 * 60_000).toISOString();
    expect(terminal.screenText).toContain(there.slice(0, 16).replace('T', ' '));
  });

  test('asks before it shows a note found only by correcting a typing mistake', async () => {
    using cli = createCliAtTerminal();
    await cli.addNote('Summarise', 'In three lines');
    await using terminal = cli.open(['show', 'sumarise'], { env: { NO_COLOR: '1' } });

    await terminal.waitForText('● ■ Summarise');
    terminal.press(keys.enter);
    const code = await terminal.waitForExitCode();

    expect(code).toBe(0);
    expect(terminal.screenText).toContain('#1 · notes');
  });

  test('does not lock the store while a person picks', async () => {
    using cli = createCliAtTerminal();
    await cli.addNote('one', 'first text');
    await cli.addNote('two', 'second text');
    await using terminal = cli.open(['show']);
    await terminal.waitForText('Which note?');

    const id = await cli.addNote('three', 'third text');

    expect(id).toBe('3');
  });

  test('prints the labels of its category and group, as the list does', async () => {
    using cli = createCliAtTerminal();
    await cli.addNote('a note', 'text', '-g', 'second');
    await runNotesCommand(['labels', 'second=Büro 日本', 'notes=Notizen'], cli.env);
    await using page = cli.open(['show', '1'], { env: { NO_COLOR: '1' } });
    await using table = cli.open(['list'], { env: { NO_COLOR: '1' } });

    await Promise.all([page.waitForExitCode(), table.waitForExitCode()]);

    expect(page.screenText).toContain('#1 · Notizen (notes) · Büro 日本 (second) · neutral');
    expect(table.screenText).toContain('Notizen (notes)  Büro 日本 (second)  now');
  });
});

describe('list', () => {
  test('is a table as wide as the terminal, in colors unless they are turned off', async () => {
    using cli = createCliAtTerminal();
    await cli.addNote('A title that is rather long for a narrow terminal, so it is cut', 'x', '--color', 'error');
    await using colored = cli.open(['list'], { columns: 40 });
    await using plain = cli.open(['list'], { columns: 40, env: { NO_COLOR: '1' } });
    await using dumb = cli.open(['list'], { columns: 40, env: { TERM: 'dumb' } });

    await Promise.all([colored.waitForExitCode(), plain.waitForExitCode(), dumb.waitForExitCode()]);

    expect(colored.output).toContain('\x1b[31m');
    expect(plain.output).not.toContain('\x1b');
    expect(dumb.output).not.toContain('\x1b');
    const lines = plain.output.trimEnd().split('\r\n');
    expect(lines.length).toBe(1);
    expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(40);
    expect(lines[0]).toContain('A title that is');
  });

  test.each([
    [['nothing'], 'No note has all these words. --all includes archived ones'],
    [['c:css', 'archived:true'], 'No notes'],
    [['c:bash', 'tar', '--all'], 'No note has all these words. Did you mean c:bash-commands?'],
  ])('%p says so when there is nothing to list, and where there may be more', async (words, said) => {
    using cli = createCliAtTerminal();
    await using terminal = cli.open(['list', ...words]);

    const code = await terminal.waitForExitCode();

    expect([code, terminal.screenText.trim()]).toEqual([0, said]);
  });
});

test('mcp started by a person says what it waits for', async () => {
  using cli = createCliAtTerminal();
  await using terminal = cli.open(['mcp'], { columns: 100 });

  await terminal.waitForText('This command speaks MCP to the program that starts it');
  terminal.press(keys.interrupt);
  await terminal.waitForExitCode();

  expect(terminal.screenText).toContain('Ctrl+C ends it');
});

describe('a long note', () => {
  const long = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join('\n');

  test('opens in less when it is longer than the screen, until q', async () => {
    using cli = createCliAtTerminal();
    const id = await cli.addNote('a note', long);
    await using terminal = cli.open(['show', id]);
    await terminal.waitForText('line 20');
    expect(terminal.screenText).not.toContain('line 40');

    terminal.press('G');
    await terminal.waitForText('line 40');
    terminal.press('q');

    expect(await terminal.waitForExitCode()).toBe(0);
  });

  test.each([
    ['by PAGER', ['show', '1'], { PAGER: "sed 's/^/> /'" }, '> line 1\r\n'],
    ['at once by --no-pager', ['show', '1', '--no-pager'], { PAGER: 'false' }, '\nline 40\r\n'],
    ['at once where the pager is missing', ['show', '1'], { PAGER: 'nosuchpager' }, '\nline 40\r\n'],
  ])('is shown %s', async (_, args, env, expected) => {
    using cli = createCliAtTerminal();
    await cli.addNote('a note', long);
    await using terminal = cli.open(args, { env });

    expect([await terminal.waitForExitCode(), terminal.output.includes(expected)]).toEqual([0, true]);
  });
});
