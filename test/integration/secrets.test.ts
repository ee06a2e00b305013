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

  test('imports them with --allow-secrets', async () => {
    using here = openFixture();
    here.file('Deploy.md', token);

    expect(await here.notes(['import', here.files, '--allow-secrets'])).toMatchObject({ code: 0 });

    expect(await here.titles()).toEqual(['Deploy']);
  });

  test('reports in a dry run which notes would be left out', async () => {
    using here = openFixture();
    here.file('Deploy.md', token);
    await here.notes(['add', '-m', 'text']);

    const { code, stderr } = await here.notes(['import', here.files, '--dry-run']);

    expect([code, stderr]).toEqual([1, expect.stringContaining('It seems to hold a GitHub token')]);
  });
});

test('notes sync reports a secret each time, until it is allowed or gone', async () => {
  using here = openFixture();
  here.file('Deploy.md', token);
  here.file('Plan.md', 'text');

  const first = await here.notes(['sync', here.files]);
  const second = await here.notes(['sync', here.files]);
  const allowed = await here.notes(['sync', here.files, '--allow-secrets']);
  const idle = await here.notes(['sync', here.files]);

  expect([first, second, allowed, idle].map(({ code }) => code)).toEqual([1, 1, 0, 0]);
  expect(second.stderr).toContain('Deploy.md, “Deploy”: It seems to hold a GitHub token');
  expect(second.stderr).toContain('1 changed file of 2');
  expect(idle.stderr).toContain('0 changed files of 2');
  expect((await here.titles()).toSorted()).toEqual(['Deploy', 'Plan']);
});
