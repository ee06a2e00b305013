/** What scripts/package says where the packages that it needs are not installed. */
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');
const modules = join(root, 'node_modules');

/** The sources of the project, without its packages. */
function copySources() {
  const folder = createTemporaryFolder();
  for (const name of ['scripts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder.path, name), { recursive: true });
  return folder;
}

function runPackageScript(folder: string) {
  const script = join(folder, 'scripts', 'package', 'package.ts');
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, script], { cwd: folder });
  return { exitCode, output: `${stdout}${stderr}` };
}

test('without packages, it says that npm ci installs them', () => {
  using folder = copySources();

  expect(runPackageScript(folder.path)).toEqual({
    exitCode: 1,
    output: expect.stringMatching(
      /^Run npm ci first\. Packages that are missing or of another version: .* \d+ more\n$/,
    ),
  });
});

test.each(['bun', 'typescript'])('without the package %s alone, it says so too', (missing) => {
  using folder = copySources();
  mkdirSync(join(folder.path, 'node_modules'));
  for (const name of readdirSync(modules).filter((each) => each !== missing))
    symlinkSync(join(modules, name), join(folder.path, 'node_modules', name));

  expect(runPackageScript(folder.path)).toEqual({
    exitCode: 1,
    output: `Run npm ci first. Packages that are missing or of another version: ${missing}\n`,
  });
});
