/** Apparent secrets are reported before they are stored, and stored only on request. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { write } from '../support/data/sources.ts';
import { draft, run, temporaryFolder } from '../support/service.ts';

function openFixture() {
  const folder = temporaryFolder();
  const env = {
    DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}`,
    XDG_STATE_HOME: join(folder.path, 'state'),
  };
  return {
    file: (name: string, text: string) => write(join(folder.path, 'files', name), text),
    files: join(folder.path, 'files'),
    notes: (...args: string[]) => run(args, env),
    titles: async () => (await run(['list', '--all'], env)).stdout.split('\n').map((line) => line.split('\t')[1] ?? ''),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('notes import', () => {
  test('leaves out notes that seem to hold a secret, and prints note and kind, never the secret', async () => {
    using here = openFixture();
    here.file('Deploy.md', `export GITHUB_TOKEN=${token}\n`);
    here.file('Plan.md', 'The token is kept elsewhere\n');

    const { code, stdout, stderr } = await here.notes('import', here.files, '--json');

    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ added: 1, withheld: 1, bad: 0 })]);
    expect(stderr).toContain('Deploy.md, “Deploy”: It seems to hold a GitHub token');
    expect(stderr).toContain(
      '1 not imported, since they seem to hold secrets, named above (--allow-secrets imports them)',
    );
    expect(stderr + stdout).not.toContain(token);
    expect(await here.titles()).toEqual(['Plan', '']);
  });

  test('prints no title that holds the secret itself', async () => {
    using here = openFixture();
    const path = here.file('a.ndjson', `${JSON.stringify(portable({ title: `export TOKEN=${token}` }))}\n`);

    const { stderr } = await here.notes('import', path);

    expect(stderr).toContain('line 1: It seems to hold a GitHub token and a key or token');
    expect(stderr).not.toContain(token);
  });

  test('imports them with --allow-secrets', async () => {
    using here = openFixture();
    here.file('Deploy.md', token);

    expect(await here.notes('import', here.files, '--allow-secrets')).toMatchObject({ code: 0 });

    expect(await here.titles()).toEqual(['Deploy', '']);
  });

  test('reports in a dry run which notes would be left out', async () => {
    using here = openFixture();
    here.file('Deploy.md', token);
    await here.notes('add', '-m', 'text');

    const { code, stderr } = await here.notes('import', here.files, '--dry-run');

    expect([code, stderr]).toEqual([1, expect.stringContaining('It seems to hold a GitHub token')]);
  });
});

test('notes sync reports a secret each time, until it is allowed or gone', async () => {
  using here = openFixture();
  here.file('Deploy.md', token);
  here.file('Plan.md', 'text');

  const first = await here.notes('sync', here.files);
  const second = await here.notes('sync', here.files);
  const allowed = await here.notes('sync', here.files, '--allow-secrets');
  const idle = await here.notes('sync', here.files);

  expect([first, second, allowed, idle].map(({ code }) => code)).toEqual([1, 1, 0, 0]);
  expect(second.stderr).toContain('Deploy.md, “Deploy”: It seems to hold a GitHub token');
  expect(second.stderr).toContain('1 changed file of 2');
  expect(idle.stderr).toContain('0 changed files of 2');
  expect((await here.titles()).toSorted()).toEqual(['', 'Deploy', 'Plan']);
});

const time = '2026-01-01T00:00:00.000Z';
const portable = (changes: object) => ({ ...draft(changes), archived: false, createdAt: time, updatedAt: time });
