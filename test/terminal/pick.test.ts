/** Picking notes in a pseudo-terminal: what is drawn, and what keys do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { createTemporaryFolder, program, runNotesCommand } from '../support/service.ts';
import { keys, Terminal, type TerminalOptions } from '../support/terminal/terminal.ts';

const hostile = 'Hostile \x1b]0;owned\x07\x1b[2J\u202eabc';
const notes = [
  ['Undo the last commit', 'git reset --soft HEAD~1'],
  ['Log of one file', 'git log --follow'],
  [hostile, `first\x1b[2J\nsecond ${'long '.repeat(100)}`],
  ['Greeting', 'Hello {{first_name}} {{name}}!'],
  ['Résumé of a deep file', `${'line\n'.repeat(59)}needle`],
  ['Commit all', 'git commit --all'],
] as const;

const folder = createTemporaryFolder();
const db = join(folder.path, 'notes.db');
afterAll(() => folder[Symbol.dispose]());

beforeAll(async () => {
  const lines = notes.map(([title, content], at) => JSON.stringify(createPortableNote(at + 1, { title, content })));
  expect(await runNotesCommand(['import', '-', '--db', db], {}, lines.join('\n'))).toMatchObject({ code: 0 });
});

const open = (args: readonly string[], options?: TerminalOptions) =>
  new Terminal([...program, ...args, '--db', db], options);

/** Runs with standard output to a file, as in `$(notes show --pick)`. */
function openPiped(args: readonly string[]): { readonly terminal: Terminal; readonly piped: () => Promise<string> } {
  const path = join(folder.path, crypto.randomUUID());
  const words = [...program, ...args, '--db', db].map((word) => `'${word}'`).join(' ');
  return { terminal: new Terminal(['sh', '-c', `${words} > ${path}`]), piped: () => Bun.file(path).text() };
}

describe('pick', () => {
  test('narrows the list while typing, the best match first, and selects it on Enter', async () => {
    const { terminal, piped } = openPiped(['show', '--pick']);
    await using _ = terminal;
    await terminal.waitForText('Which note?');
    terminal.press(keys.up); // to the last one, which the words match too
    await terminal.waitForText(/● ■ Undo/);

    terminal.press('commit');
    await terminal.waitForText('Search: commit');
    const list = terminal.screenText;
    terminal.press(keys.enter);
    const code = await terminal.waitForExitCode();

    expect(list).toMatch(
      /● ■ Commit all {2}git commit --all +notes\n○ ■ Undo the last commit {2}git reset --soft HEAD~1 +notes\n/,
    );
    expect(list).not.toContain('Log of');
    expect(code).toBe(0);
    expect(await piped()).toBe('git commit --all');
  });

  test.each([[[]], [['copy', 'commit']]])('is how notes %p finds a note and copies it', async (args) => {
    await using terminal = new Terminal([...program, ...args], { env: { DATABASE_URL: `sqlite:${db}`, PATH: '' } });
    await terminal.waitForText('Which note?');

    terminal.press(args.length === 0 ? `last commit${keys.enter}` : `${keys.down}${keys.enter}`);
    const code = await terminal.waitForExitCode();

    expect([code, terminal.screenText]).toEqual([0, 'Copied by the terminal, if it allows that (OSC 52)']);
    expect(terminal.output).toContain(`\x1b]52;c;${btoa('git reset --soft HEAD~1')}\x07`);
  });

  test('moves down and up on the arrows and on Ctrl+N and Ctrl+P, after typing too', async () => {
    const { terminal, piped } = openPiped(['show', '--pick', 'commit']);
    await using _ = terminal;
    await terminal.waitForText('Search: commit');

    terminal.press('\x0e');
    await terminal.waitForText(/● ■ Undo/);
    terminal.press('\x10');
    await terminal.waitForText(/● ■ Commit/);
    terminal.press(keys.up);
    await terminal.waitForText(/● ■ Undo/);
    terminal.press(keys.enter);

    expect(await terminal.waitForExitCode()).toBe(0);
    expect(await piped()).toBe('git reset --soft HEAD~1');
  });

  test.each(['interrupt', 'escape', 'end'] as const)(
    'is canceled by %s: 130, no output, the terminal restored',
    async (key) => {
      const { terminal, piped } = openPiped(['show', '--pick']);
      await using _ = terminal;
      await terminal.waitForText('Which note?');

      terminal.press(keys[key]);
      const code = await terminal.waitForExitCode();

      expect(code).toBe(130);
      expect(await piped()).toBe('');
      expect(terminal).toMatchObject({ screenText: '', isCursorShown: true, isAlternateScreen: false });
      expect(terminal.isInCookedMode).toBe(true);
    },
  );

  test('restores the terminal when the process gets SIGTERM', async () => {
    await using terminal = open(['show', '--pick']);
    await terminal.waitForText('Which note?');

    terminal.kill('SIGTERM');
    const code = await terminal.waitForExitCode();

    expect(code).toBe(143);
    expect(terminal).toMatchObject({ screenText: '', isCursorShown: true, isAlternateScreen: false });
    expect(terminal.isInCookedMode).toBe(true);
  });

  test('keeps each note on one line in a small terminal', async () => {
    await using terminal = open(['show', '--pick'], { columns: 30, rows: 12 });

    await terminal.waitForText(/● ■ Commit all.*\n○ ■ Résumé.*\n○ ■ Greeting.*\n/);
  });

  test('redraws when the terminal is resized', async () => {
    await using terminal = open(['show', '--pick']);
    await terminal.waitForText('Which note?');
    const drawn = terminal.output.length;

    terminal.resize(50, 14);
    expect(await isEventuallyTrue(() => terminal.output.length > drawn)).toBe(true);
    terminal.press('undo');
    await terminal.waitForText('Search: undo');
    terminal.press(keys.enter);

    await terminal.waitForText('git reset --soft HEAD~1');
    expect(await terminal.waitForExitCode()).toBe(0);
  });

  test('asks for a number on a terminal without cursor movement', async () => {
    await using terminal = open(['show', '--pick', 'commit'], { env: { TERM: 'dumb' } });
    await terminal.waitForText('Number:');

    terminal.press('2\r');
    const code = await terminal.waitForExitCode();

    expect(code).toBe(0);
    expect(terminal.screenText).toContain('git reset --soft HEAD~1');
    expect(terminal.output).not.toContain('\x1b[?');
  });
});

describe('the text of a note', () => {
  test.each([
    ['list', ['list']],
    ['show', ['show', '3']],
    ['pick', ['show', '--pick', 'hostile']],
  ])('is printed by %s only as visible text', async (_, args) => {
    await using terminal = open(args);

    await terminal.waitForText('Hostile ␛]0;owned␇␛[2J\ufffdabc');

    for (const sequence of ['\u202e', '\x1b]', '\x1b[2J', '\x07']) expect(terminal.output).not.toContain(sequence);
  });
});

test('the colors of the picker are off with NO_COLOR', async () => {
  await using terminal = open(['show', '--pick'], { env: { NO_COLOR: '1' } });

  await terminal.waitForText('Greeting');

  const styles = terminal.output.split('\x1b[').flatMap((part) => /^[\d;]*(?=m)/.exec(part) ?? []);
  expect(styles.filter((style) => !['', '0', '7', '27'].includes(style))).toEqual([]); // inverse is no color
});

test.each([
  ['prints nothing', ['show', 'greeting'], 1, '', '{{name}} has no value. Give it by --set name=…'],
  ['keeps it in a picked text', ['show', '--pick', 'greeting'], 0, 'Hello Ann {{name}}!', 'Left blank: {{name}}'],
] as const)('without a value for a placeholder %s', async (_, args, code, text, said) => {
  const { terminal, piped } = openPiped(args);
  await using _terminal = terminal;
  if (args.length > 2) {
    await terminal.waitForText(/● ■ Greeting/);
    terminal.press(keys.enter);
  }
  await terminal.waitForText(/^first_name/m);

  terminal.press('Ann\r');
  await terminal.waitForText(/^name/m);
  terminal.press('\r');

  expect(await terminal.waitForExitCode()).toBe(code);
  expect(await piped()).toBe(text);
  expect(terminal.screenText).toContain(said);
});
