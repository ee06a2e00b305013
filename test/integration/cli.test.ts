/** The program as called from a shell: its output and exit codes. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { commandTable } from '../../src/cli/commands/command-table.ts';
import { settings } from '../../src/config/settings-table.ts';
import { createTemporaryFolder, runNotesCommand, startService } from '../support/service.ts';

test('reports all wrong settings at once and exits with 2', async () => {
  const result = await runNotesCommand(['serve', '--port', 'x'], { LOG_LEVEL: 'loud', DATABASE_URL: 'x' });

  expect(result).toEqual({
    code: 2,
    stdout: '',
    stderr: `notes: Wrong settings:
  --port must be an integer from 0 to 65535, not "x"
  DATABASE_URL must be sqlite:<file>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database>
  LOG_LEVEL must be one of debug, info, warn, error, not "loud"
`,
  });
});

test('suggests a remedy for a busy port and exits with 1', async () => {
  await using service = await startService();

  const result = await runNotesCommand(['serve'], { PORT: String(service.port), DATABASE_URL: 'sqlite::memory:' });

  expect(result).toEqual({
    code: 1,
    stdout: '',
    stderr: `notes: Port ${service.port} of 127.0.0.1 is in use. Choose another one with PORT or --port\n`,
  });
});

test.each([
  ['nope.invalid', 'The host nope.invalid cannot be resolved'],
  ['192.0.2.1', '192.0.2.1 is not an address of this machine'],
])('reports a problem with the host %s, not with the port', async (host, reason) => {
  const result = await runNotesCommand(['serve', '--host', host, '--port', '14001'], {
    DATABASE_URL: 'sqlite::memory:',
  });

  expect(result).toEqual({
    code: 1,
    stdout: '',
    stderr: `notes: ${reason}. Name an address of this machine with HOST or --host\n`,
  });
});

test('refuses a second service on one file, however it is named, until the first has ended in any way', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  const DATABASE_URL = `sqlite:${path}`;
  await using first = await startService({ DATABASE_URL });

  const refusals = [await runNotesCommand(['serve', '--port', '0'], { DATABASE_URL })];
  for (const db of [path, DATABASE_URL]) {
    refusals.push(await runNotesCommand(['serve', '--port', '0', '--db', db], { DATABASE_URL: 'sqlite::memory:' }));
  }
  await first.stop('SIGKILL');
  await using second = await startService({ DATABASE_URL });

  for (const { code, stderr } of refusals) {
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} is in use by a notes service. Stop it first`)]);
  }
  expect(second.url).toStartWith('http://127.0.0.1:');
});

test('stops the service when its file is deleted, with 1 and a reason in the log', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  await Bun.file(path).delete();

  expect(await service.process.exited).toBe(1);
  expect(service.log.at(-1)).toContain('was deleted or replaced while the service ran');
});

test('the help of serve lists every setting that has a flag, with its variable', async () => {
  const { code, stdout } = await runNotesCommand(['serve', '--help']);

  expect(code).toBe(0);
  for (const { flag, variable } of Object.values(settings)) if (flag) expect(stdout).toContain(`(${variable})`);
});

test('docs/commands.md lists every command, below the headings of the help', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../docs/commands.md')).text();

  const section = /^## All commands\n([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  const listed = [...section.matchAll(/^\| (\*\*|`)(.*?) \|/gm)].flatMap(([cell]) =>
    Array.from(cell.matchAll(/[`*]+([\w ]+)[`*]+/g), ([, name = '']) => name),
  );

  expect(listed).toEqual(
    Object.entries(commandTable).flatMap(([heading, commands]) => [heading.replace(':', ''), ...Object.keys(commands)]),
  );
});
