/** Apparent secrets are reported before they are stored, and stored only on request. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { createTestCli } from '../support/test-cli.ts';

function createCliWithFiles() {
  const cli = createTestCli();
  return {
    ...cli,
    writeImportFile: (name: string, text: string) => cli.writeFile(`files/${name}`, text),
    importFolder: join(cli.folder, 'files'),
    readTitles: async () => (await cli.readAllNotes()).map(({ title }) => title),
  };
}

describe('notes import', () => {
  test('leaves out notes that seem to hold a secret, and prints note and kind, never the secret', async () => {
    using cli = createCliWithFiles();
    cli.writeImportFile('Deploy.md', `export GITHUB_TOKEN=${token}\n`);
    cli.writeImportFile('Plan.md', 'The token is kept elsewhere\n');

    const { code, stdout, stderr } = await cli.run(['import', cli.importFolder, '--json']);

    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ added: 1, withheld: 1, bad: 0 })]);
    expect(stderr).toContain('Deploy.md, “Deploy”: It seems to hold a GitHub token');
    expect(stderr).toContain(
      '1 not imported, since they seem to hold secrets, named above (--allow-secrets imports them)',
    );
    expect(stderr + stdout).not.toContain(token);
    expect(await cli.readTitles()).toEqual(['Plan']);
  });

  test('imports them with --allow-secrets, which a dry run tells', async () => {
    using cli = createCliWithFiles();
    cli.writeImportFile('Deploy.md', token);
    await cli.run(['add', '-m', 'text']);

    const tried = await cli.run(['import', cli.importFolder, '--dry-run']);
    const allowed = await cli.run(['import', cli.importFolder, '--allow-secrets']);

    expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining('It seems to hold a GitHub token') });
    expect(allowed).toMatchObject({ code: 0 });
    expect(await cli.readTitles()).toEqual(['text', 'Deploy']);
  });
});
