/** The commands that show and restore earlier versions, and edits of many notes, at a terminal. */
import { expect, test } from 'bun:test';
import { program } from '../support/service.ts';
import { Terminal } from '../support/terminal/terminal.ts';
import { createTestCli } from '../support/test-cli.ts';

/** A separate store for one test, and its commands at a terminal. */
function createCliAtTerminal() {
  const cli = createTestCli();
  return {
    ...cli,
    open: (...args: string[]) => new Terminal([...program, ...args], { columns: 120, env: cli.env }),
    shell: (line: string) =>
      new Terminal(['sh', '-c', line], { columns: 120, env: { ...cli.env, NOTES: program.join(' ') } }),
  };
}

test('history is a table with colored diffs, and control characters are made visible', async () => {
  using cli = createCliAtTerminal();
  await cli.run(['add', 'One', '-m', 'a\nb\x1b[2J\r\n\tc']);
  await cli.run(['edit', '1', '-m', 'a\nB\n\tc', '-t', 'Uno']);
  await using table = cli.open('history', '1');
  await using diff = cli.open('history', '1', '--diff');

  expect([await table.waitForExitCode(), await diff.waitForExitCode()]).toEqual([0, 0]);

  expect(table.screenText).toMatch(/^ {5}written {11}then changed\n {2}1 {2}\S+ \S+ {2}title, content \+1 −1$/);
  expect(diff.output).toContain('title: "One" → "Uno"');
  expect(diff.output).toContain('\x1b[31m-b␛[2J␍\x1b[39m\r\n\x1b[32m+B\x1b[39m\r\n \tc');
  expect(diff.output).toContain('\x1b[36m@@ -1,3 +1,3 @@\x1b[39m');
});

test('revert reports its change; a note that never changed has no earlier version', async () => {
  using cli = createCliAtTerminal();
  await cli.run(['add', 'One', '-m', 'a']);
  await using none = cli.open('history', '1');
  expect([await none.waitForExitCode(), none.screenText]).toEqual([
    0,
    expect.stringContaining('There is no earlier version'),
  ]);
  await cli.run(['edit', '1', '-m', 'b', '--color', 'info']);
  await using revert = cli.open('revert', '1');

  expect(await revert.waitForExitCode()).toBe(0);

  expect(revert.screenText.trimEnd()).toBe('Reverted note 1: One\ncontent +1 −1, color');
  expect(await cli.readAllNotes()).toMatchObject([{ content: 'a', color: 'neutral' }]);
});

test('many notes are listed before they are changed, and left unchanged when the answer is no', async () => {
  using cli = createCliAtTerminal();
  for (const title of ['One', 'Two']) await cli.run(['add', title, '-m', 'x', '-c', 'css']);
  const edit = ['edit', '--where-category', 'css', '--color', 'info'];
  await using declined = cli.open(...edit);
  await declined.waitForText('Do this? [y/N]');
  declined.press('n\r');
  const code = await declined.waitForExitCode();
  const left = await cli.readAllNotes();
  await using accepted = cli.open(...edit);
  await accepted.waitForText(/Change 2 notes to color info:\n {2}1 {2}One\n {2}2 {2}Two\nDo this\?/);
  accepted.press('y\r');

  expect(await accepted.waitForExitCode()).toBe(0);

  expect([code, left.map(({ color }) => color)]).toEqual([1, ['neutral', 'neutral']]);
  expect(accepted.screenText).toContain('Changed 2 notes');
  expect((await cli.readAllNotes()).map(({ color }) => color)).toEqual(['info', 'info']);
});

test('archive - shows a list that is piped in, and asks on the terminal', async () => {
  using cli = createCliAtTerminal();
  for (const title of ['One', 'Two']) await cli.run(['add', title, '-m', 'x']);
  const before = await cli.readAllNotes();
  const line = '$NOTES list | $NOTES archive -';
  await using declined = cli.shell(line);
  await declined.waitForText('Archive 2 notes:\n  2  Two\n  1  One\nDo this? [y/N]');
  declined.press('n\r');
  const code = await declined.waitForExitCode();
  const left = await cli.readAllNotes();
  await using accepted = cli.shell(line);
  await accepted.waitForText('Do this? [y/N]');
  accepted.press('y\r');

  expect(await accepted.waitForExitCode()).toBe(0);

  expect([code, left]).toEqual([1, before]);
  expect((await cli.readAllNotes()).map((note) => note.archived)).toEqual([true, true]);
});
