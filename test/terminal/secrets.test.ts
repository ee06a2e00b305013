/** At a terminal, notes that seem to hold a secret need a confirmation. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { writeFileAndFolders } from '../support/data/sources.ts';
import { createTemporaryFolder, program, runNotesCommand } from '../support/service.ts';
import { keys, Terminal } from '../support/terminal/terminal.ts';

test.each([
  ['y\r', 0, 3],
  ['\r', 1, 1],
  [keys.interrupt, 130, 1],
])('answered by %j, an import ends with %i and %i notes', async (answer, exitCode, stored) => {
  using folder = createTemporaryFolder();
  const db = join(folder.path, 'notes.db');
  for (const name of ['One', 'Two']) writeFileAndFolders(join(folder.path, `files/${name}.md`), `${name} ${token}`);
  writeFileAndFolders(join(folder.path, 'files/Plan.md'), 'text');
  const env = { XDG_STATE_HOME: folder.path };
  await using terminal = new Terminal([...program, 'import', join(folder.path, 'files'), '--db', db], {
    env,
    columns: 120,
  });

  await terminal.waitForText('Two.md, “Two”: It seems to hold a GitHub token');
  await terminal.waitForText('Store 2 notes that may hold secrets? [y/N]');
  terminal.press(answer);

  expect(await terminal.waitForExitCode()).toBe(exitCode);
  expect(JSON.parse((await runNotesCommand(['list', '--json', '--db', db])).stdout)).toHaveLength(stored);
  expect(terminal.output).not.toContain(token);
});
