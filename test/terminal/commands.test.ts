/** The commands on notes at a terminal: what they show and ask, and that they lose no text. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { useNotes } from '../support/notes.ts';
import { program, run } from '../support/service.ts';
import { keys, Terminal, type TerminalOptions } from '../support/terminal/terminal.ts';

/** A separate store for one test; `editor` is a shell script that changes the file `$1`. */
function useTerminal(editor = 'true') {
  const store = useNotes();
  const script = store.write('editor', `#!/bin/sh\n${editor}\n`);
  chmodSync(script, 0o755);
  const env = { ...store.env, EDITOR: script, TMPDIR: store.folder, NOTES: program.join(' ') };
  return {
    ...store,
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
    using store = useTerminal(`printf 'after\\n' > "$1"`);
    const id = await store.add('a note', 'before');
    await using terminal = store.open(['edit', 'a', 'note']);

    const code = await terminal.exited();

    expect([code, (await store.note(id)).content]).toEqual([0, 'after']);
    expect(terminal.text).toContain('Changed note 1: a note');
  });

  test('writes nothing when nothing was changed', async () => {
    using store = useTerminal('touch "$1"');
    const id = await store.add('a note', 'text');
    const before = await store.note(id);
    await using terminal = store.open(['edit', id]);

    const code = await terminal.exited();

    expect([code, await store.note(id)]).toEqual([0, before]);
    expect(terminal.text).toContain('Unchanged: note 1: a note');
  });

  test('keeps the text and says what to do, with 4, when the note has changed meanwhile', async () => {
    using store = useTerminal(`printf mine > "$1"; $NOTES edit 1 -m theirs >/dev/null`);
    const id = await store.add('a note', 'text');
    await using terminal = store.open(['edit', id], { columns: 400 });

    const code = await terminal.exited();

    expect([code, (await store.note(id)).content]).toEqual([4, 'theirs']);
    const path = keptPath(terminal);
    expect(terminal.text).toContain('notes: Note 1 was changed while you edited it. Yours is kept in ');
    expect(terminal.text).toContain(`${path}: look at "notes show 1", then "notes edit 1 -f ${path}"`);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('keeps the text when the editor fails or the text cannot be stored, and gives the reason first', async () => {
    using failing = useTerminal(`printf mine > "$1"; exit 3`);
    using refused = useTerminal(`printf 'mine\\0' > "$1"`);
    await failing.add('a', 'x');
    await refused.add('a', 'x');
    await using first = failing.open(['edit', '1'], { columns: 400 });
    await using second = refused.open(['edit', '1'], { columns: 400 });

    const codes = await Promise.all([first.exited(), second.exited()]);

    expect(codes).toEqual([1, 2]);
    expect(first.text).toMatch(/exited with 3\. Nothing was stored\. Your text is kept in /);
    expect(second.text).toMatch(/Invalid content\..* Your text is kept in /);
    expect(readFileSync(keptPath(first), 'utf8')).toBe('mine');
    expect(readFileSync(keptPath(second), 'utf8')).toBe('mine\0');
    expect((await failing.note('1')).content + (await refused.note('1')).content).toBe('xx');
  });

  test('keeps no empty text', async () => {
    using store = useTerminal(`printf '  \\n' > "$1"`);
    await store.add('a', 'x');
    await using terminal = store.open(['edit', '1'], { columns: 200 });

    const code = await terminal.exited();

    expect([code, terminal.text.trim()]).toEqual([1, 'notes: The text is empty, so nothing was stored']);
    expect((await store.all()).map(({ content }) => content)).toEqual(['x']);
    expect(readdirSync(store.folder).filter((name) => name.startsWith('notes-'))).toEqual([]);
  });
});

describe('add', () => {
  test('opens an editor where no text is given, and takes the first line as the title', async () => {
    using store = useTerminal(`printf 'git stash\\n# for later\\n' > "$1"`);
    await using terminal = store.open(['add', '-c', 'bash-commands']);

    const code = await terminal.exited();

    expect(code).toBe(0);
    expect(await store.all()).toMatchObject([{ title: 'git stash', content: 'git stash\n# for later' }]);
    expect(terminal.text).toContain('Added note 1: git stash');
  });
});

describe('show', () => {
  test('prints times in the local time zone', async () => {
    using store = useTerminal();
    const id = await store.add('a', 'x');
    const { updatedAt } = await store.note(id);
    await using terminal = store.open(['show', id], { env: { NO_COLOR: '1', TZ: 'Asia/Kathmandu' } });

    await terminal.exited();

    const there = new Date(Date.parse(updatedAt) + 345 * 60_000).toISOString();
    expect(terminal.text).toContain(there.slice(0, 16).replace('T', ' '));
  });

  test('asks before it shows a note found only by correcting a typing mistake', async () => {
    using store = useTerminal();
    await store.add('Summarise', 'In three lines');
    await using terminal = store.open(['show', 'sumarise'], { env: { NO_COLOR: '1' } });

    await terminal.shows('● ■ Summarise');
    terminal.press(keys.enter);
    const code = await terminal.exited();

    expect(code).toBe(0);
    expect(terminal.text).toContain('#1 · notes');
  });

  test('does not lock the store while a person picks', async () => {
    using store = useTerminal();
    await store.add('one', 'first text');
    await store.add('two', 'second text');
    await using terminal = store.open(['show']);
    await terminal.shows('Which note?');

    const id = await store.add('three', 'third text');

    expect(id).toBe('3');
  });

  test('prints the label of its group, as the list does', async () => {
    using store = useTerminal();
    await store.add('a note', 'text', '-g', 'second');
    await run(['labels', 'second=Büro 日本'], store.env);
    await using page = store.open(['show', '1'], { env: { NO_COLOR: '1' } });
    await using table = store.open(['list'], { env: { NO_COLOR: '1' } });

    await Promise.all([page.exited(), table.exited()]);

    expect(page.text).toContain('#1 · notes · Büro 日本 (second) · neutral');
    expect(table.text).toContain('notes  Büro 日本 (second)  now');
  });
});

describe('list', () => {
  test('is a table as wide as the terminal, in colors unless they are turned off', async () => {
    using store = useTerminal();
    await store.add('A title that is rather long for a narrow terminal, so it is cut', 'x', '--color', 'error');
    await using colored = store.open(['list'], { columns: 40 });
    await using plain = store.open(['list'], { columns: 40, env: { NO_COLOR: '1' } });
    await using dumb = store.open(['list'], { columns: 40, env: { TERM: 'dumb' } });

    await Promise.all([colored.exited(), plain.exited(), dumb.exited()]);

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
    using store = useTerminal();
    await using terminal = store.open(['list', ...words]);

    const code = await terminal.exited();

    expect([code, terminal.text.trim()]).toEqual([0, said]);
  });
});

test('mcp started by a person says what it waits for', async () => {
  using store = useTerminal();
  await using terminal = store.open(['mcp'], { columns: 100 });

  await terminal.shows('This command speaks MCP to the program that starts it');
  terminal.press(keys.interrupt);
  await terminal.exited();

  expect(terminal.text).toContain('Ctrl+C ends it');
});

describe('a long note', () => {
  const long = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join('\n');

  test('opens in less when it is longer than the screen, until q', async () => {
    using store = useTerminal();
    const id = await store.add('a note', long);
    await using terminal = store.open(['show', id]);
    await terminal.shows('line 20');
    expect(terminal.text).not.toContain('line 40');

    terminal.press('G');
    await terminal.shows('line 40');
    terminal.press('q');

    expect(await terminal.exited()).toBe(0);
  });

  test.each([
    ['by PAGER', ['show', '1'], { PAGER: "sed 's/^/> /'" }, '> line 1\r\n'],
    ['at once by --no-pager', ['show', '1', '--no-pager'], { PAGER: 'false' }, '\nline 40\r\n'],
    ['at once where the pager is missing', ['show', '1'], { PAGER: 'nosuchpager' }, '\nline 40\r\n'],
  ])('is shown %s', async (_, args, env, expected) => {
    using store = useTerminal();
    await store.add('a note', long);
    await using terminal = store.open(args, { env });

    expect([await terminal.exited(), terminal.output.includes(expected)]).toEqual([0, true]);
  });
});
