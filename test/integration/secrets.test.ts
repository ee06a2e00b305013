/** Apparent secrets are reported before they are stored, and stored only on request. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { useNotes } from '../support/notes.ts';

function openFixture() {
  const store = useNotes();
  return {
    ...store,
    file: (name: string, text: string) => store.write(`files/${name}`, text),
    files: join(store.folder, 'files'),
    titles: async () => (await store.all()).map(({ title }) => title),
  };
}

describe('notes import', () => {
  test('leaves out notes that seem to hold a secret, and prints note and kind, never the secret', async () => {
    using here = openFixture();
    here.file('Deploy.md', `export GITHUB_TOKEN=${token}\n`);
    here.file('Plan.md', 'The token is kept elsewhere\n');

    const { code, stdout, stderr } = await here.notes(['import', here.files, '--json']);

    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ added: 1, withheld: 1, bad: 0 })]);
    expect(stderr).toContain('Deploy.md, “Deploy”: It seems to hold a GitHub token');
    expect(stderr).toContain(
      '1 not imported, since they seem to hold secrets, named above (--allow-secrets imports them)',
    );
    expect(stderr + stdout).not.toContain(token);
    expect(await here.titles()).toEqual(['Plan']);
  });

  test('imports them with --allow-secrets, which a dry run tells', async () => {
    using here = openFixture();
    here.file('Deploy.md', token);
    await here.notes(['add', '-m', 'text']);

    const tried = await here.notes(['import', here.files, '--dry-run']);
    const allowed = await here.notes(['import', here.files, '--allow-secrets']);

    expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining('It seems to hold a GitHub token') });
    expect(allowed).toMatchObject({ code: 0 });
    expect(await here.titles()).toEqual(['text', 'Deploy']);
  });
});
