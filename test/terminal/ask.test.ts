import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { keys, Terminal } from '../support/terminal/terminal.ts';

const part = join(import.meta.dir, 'part.ts');
const open = (name: string, question: string, env: Readonly<Record<string, string>> = {}) =>
  new Terminal([process.execPath, part, name, question], { env });

test.each(['xterm-256color', 'dumb'])('a question is answered by a line, with TERM=%s', async (TERM) => {
  await using terminal = open('askText', 'Your name?', { TERM });
  await terminal.waitForText('Your name?');

  terminal.press('Anm');
  terminal.press(`${keys.backspace}n Lee\r`);

  await terminal.waitForText('"Ann Lee"');
  expect(terminal.isInCookedMode).toBe(true);
});

test('a question makes control characters visible', async () => {
  await using terminal = open('askText', 'Na\x1b[2Jme');

  await terminal.waitForText('Na␛[2Jme');

  expect(terminal.output).not.toContain('\x1b[2J');
});

test.each([
  ['y\r', 'true'],
  ['\r', 'false'],
  ['yesterday\r', 'false'],
])('%p confirms: %s', async (typed, answer) => {
  await using terminal = open('confirm', 'Replace it?');
  await terminal.waitForText('Replace it? [y/N]');

  terminal.press(typed);

  await terminal.waitForText(new RegExp(`^${answer}$`, 'm'));
});

test.each([
  ['long', 'Lee '.repeat(12), 20],
  ['as wide as the terminal', 'a'.repeat(14), 20],
])('a value that is %s removes its question from the screen', async (_, value, columns) => {
  await using terminal = new Terminal(['sh', '-c', `echo above; '${process.execPath}' '${part}' askValue name`], {
    columns,
  });
  await terminal.waitForText(/^name:/m);

  terminal.press(`${value}\r`);
  const code = await terminal.waitForExitCode();

  expect(code).toBe(0);
  expect(terminal.screenText.replaceAll('\n', '')).toBe(`above"${value}"`);
});

test('a value of several lines is pasted whole', async () => {
  await using terminal = new Terminal(['sh', '-c', `echo above; '${process.execPath}' '${part}' askValue code`]);
  await terminal.waitForText(/^code:/m);

  terminal.press('one\rtwo\r\rthree\r');
  const code = await terminal.waitForExitCode();

  expect([code, terminal.screenText.trim()]).toEqual([0, 'above\n"one\\ntwo\\n\\nthree"']);
});

test('a choice is selected by its beginning; another answer repeats the question', async () => {
  await using terminal = new Terminal([process.execPath, part, 'askValue', 'tone=formal|casual|fun']);
  const question = /^tone \(formal \| casual \| fun\) \[formal\]: *$/m;

  for (const answer of ['loud', 'F', 'CAS']) {
    await terminal.waitForText(question);
    terminal.press(answer);
    await terminal.waitForText(answer);
    terminal.press('\r');
  }
  await terminal.waitForExitCode();

  expect(terminal.screenText.trim()).toBe('"casual"');
});

test('a canceled value leaves nothing of its question on the screen', async () => {
  await using terminal = new Terminal([process.execPath, part, 'askValue', 'name'], { columns: 20 });
  await terminal.waitForText(/^name:/m);

  terminal.press('a'.repeat(50));
  await terminal.waitForText(/a{14}\na{20}\na{16}/);
  terminal.press(keys.escape);
  const code = await terminal.waitForExitCode();

  expect([code, terminal.screenText.trim()]).toEqual([130, 'InterruptedError:']);
});

test.each(['interrupt', 'end', 'escape'] as const)(
  '%s ends a question with 130 and restores the terminal',
  async (key) => {
    await using terminal = open('confirm', 'Replace it?');
    await terminal.waitForText('Replace it?');

    terminal.press(keys[key]);
    const code = await terminal.waitForExitCode();

    expect(code).toBe(130);
    expect(terminal.screenText).not.toContain('false');
    expect(terminal.isInCookedMode).toBe(true);
  },
);

test('without a terminal it asks nothing', () => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, part, 'confirm', 'Replace it?'], {
    stdin: null,
  });

  expect(exitCode).toBe(2);
  expect(stdout.toString()).toBe('');
  expect(stderr.toString()).toBe('NoteError: Cannot ask without a terminal: Replace it? [y/N]\n');
});
