/** Files with tokens and passwords that others can read: service, commands and doctor warn of them, and work. */
import { expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, runNotesCommand, startService } from '../support/service.ts';

test('a file that others can read is named once by the service, a command and the doctor', async () => {
  using folder = createTemporaryFolder();
  const [tokenFile, databaseFile] = [join(folder.path, 'token'), join(folder.path, 'database')];
  writeFileSync(tokenFile, 'a-token-of-some-length');
  writeFileSync(databaseFile, `sqlite:${join(folder.path, 'notes.db')}`);
  for (const file of [tokenFile, databaseFile]) chmodSync(file, 0o644);
  const sentence = (file: string, variable: string) =>
    `Others can use the secret in ${file} (${variable}), whose mode is 644. Run chmod 600 on it`;
  const ofDatabase = sentence(databaseFile, 'DATABASE_URL_FILE');
  const settings = { DATABASE_URL_FILE: databaseFile, DATABASE_URL: '', ACCESS_TOKEN_FILE: tokenFile };

  await using service = await startService(settings);
  const remote = await runNotesCommand(['list', '--url', service.url], { NOTES_TOKEN_FILE: tokenFile });
  const [local, doctor] = await Promise.all([
    runNotesCommand(['add', '-m', 'content', 'Title', '-g', 'first'], { DATABASE_URL_FILE: databaseFile }),
    runNotesCommand(['doctor'], { ...settings, PORT: '0' }),
  ]);

  const warnings = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
  expect(warnings.map(({ msg }) => msg)).toEqual([ofDatabase, sentence(tokenFile, 'ACCESS_TOKEN_FILE')]);
  expect(remote).toEqual({ code: 0, stdout: '', stderr: `notes: ${sentence(tokenFile, 'NOTES_TOKEN_FILE')}\n` });
  expect(local).toEqual({ code: 0, stdout: '1\n', stderr: `notes: ${ofDatabase}\n` });
  expect(doctor.stdout).toContain(`warning settings     ${ofDatabase}\n`);
  expect(service.log.join()).not.toContain('a-token-of-some-length');
});
