/** Shared by the executable and the package: the modules of the program, the prebuilt page, and the commit. */
import { join } from 'node:path';
import { $, Glob } from 'bun';
import { type BuiltFile, buildPage } from '../src/page/build/build.ts';

export const root = join(import.meta.dir, '..');
const source = join(root, 'src');

/** The module that replaces src/service/load-page.ts: the page is prebuilt, in `folder`. */
async function writePageFilesAndCreateModule(files: readonly BuiltFile[], folder: string): Promise<string> {
  const laid = files.map((file, index) => ({ ...file, name: `file${index}`, location: join(folder, `${index}.page`) }));
  await Promise.all(laid.map(({ location, bytes }) => Bun.write(location, bytes)));
  const imports = laid.map(
    ({ name, location }) => `import ${name} from ${JSON.stringify(location)} with { type: 'file' };\n`,
  );
  const entries = laid.map(({ name, path, type }) => `[${JSON.stringify(path)}, ${JSON.stringify(type)}, ${name}],\n`);
  return `import { resolve } from 'node:path';
${imports.join('')}const files = [\n${entries.join('')}];
const readBytes = (file) => Bun.file(resolve(import.meta.dir, file)).bytes();
export const loadPage = () =>
  Promise.all(files.map(async ([path, type, file]) => ({ path, type, bytes: await readBytes(file) })));
`;
}

/** The commit of the sources and its date; outside of a repository, NOTES_COMMIT and today. */
async function readCommitAndDate() {
  const { exitCode, stdout } = await $`git show --no-patch --abbrev=12 --format=%h/%cs HEAD`
    .cwd(root)
    .quiet()
    .nothrow();
  const [commit, date] = stdout.toString().trim().split('/');
  if (exitCode === 0) return { commit, date };
  return {
    commit: process.env['NOTES_COMMIT']?.slice(0, 12) || 'unknown',
    date: new Date().toISOString().slice(0, 10),
  };
}

/**
 * How Bun bundles the program; the files of the page are written to `folder`. Workers are separate entry points. All
 * modules are in one folder, so their names must be unique.
 */
export async function buildPageAndCreateBundleOptions(folder: string) {
  const workers = [...new Glob('{formats,service,store}/**/*-worker.ts').scanSync({ cwd: source, absolute: true })];
  return {
    entrypoints: [join(source, 'main.ts'), ...workers],
    files: {
      [join(source, 'service', 'load-page.ts')]: await writePageFilesAndCreateModule(await buildPage(), folder),
    },
    naming: { entry: '[name].[ext]' },
    define: { BUILT_FROM: JSON.stringify(await readCommitAndDate()) },
    target: 'bun',
    format: 'esm',
    splitting: true,
  } as const satisfies Bun.BuildConfig;
}
