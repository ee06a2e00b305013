/**
 * The example that CONTRIBUTING.md has for an added field: it applies to this project, compiles, and its test passes.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hangsAfterMs } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/service.ts';

setDefaultTimeout(hangsAfterMs);

const root = join(import.meta.dir, '..', '..');
const patch = 'docs/examples/add-a-field.patch';

/** Copies the project without its packages, which are linked. */
function copyProject() {
  const folder = createTemporaryFolder();
  for (const name of ['src', 'test', 'scripts', 'bench', 'package.json', 'tsconfig.json', 'bunfig.toml', patch])
    cpSync(join(root, name), join(folder.path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}

/** Runs a command in a folder, on the sources there. Returns its output if it fails. */
async function runAndFindFailure(command: readonly string[], folder: string): Promise<string | undefined> {
  const env = { ...process.env, NOTES_PROGRAM: undefined, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const child = Bun.spawn([...command], { cwd: folder, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const output = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return (await child.exited) === 0 ? undefined : output.join('');
}

test('the example of an added field applies, compiles, and works with both databases', async () => {
  using copy = copyProject();

  const conflict = await runAndFindFailure(['git', 'apply', patch], copy.path);
  expect(
    conflict,
    `${patch} no longer applies: regenerate it as CONTRIBUTING.md says in "Add a field"`,
  ).toBeUndefined();
  const typeErrors = await runAndFindFailure(['npm', 'run', '--silent', 'typecheck'], copy.path);
  const files = ['./test/integration/pinned.test.ts', './src/store/migrations.test.ts'];
  const failures = await runAndFindFailure(
    [process.execPath, 'test', `--timeout=${hangsAfterMs}`, ...files],
    copy.path,
  );

  expect([typeErrors, failures]).toEqual([undefined, undefined]);
});
