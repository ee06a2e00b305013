/** The walls of docs/architecture.md. Type-only imports count; tests in src may import what they like. */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';

const repository = join(import.meta.dir, '..');
const root = join(repository, 'src');

/** What each part of src may import besides itself. */
const walls: Readonly<Record<string, readonly string[]>> = {
  core: [],
  store: ['core'],
  formats: ['core'],
  client: ['core'],
  page: ['core', 'client', 'formats'],
  service: ['store', 'core', 'page', 'config.ts'], // of the page only the build
  cli: ['service', 'store', 'page', 'client', 'formats', 'core', 'config.ts'],
  'config.ts': ['core'],
  'main.ts': ['cli', 'config.ts'],
};

const maxFiles = 20;

interface Import {
  readonly from: string;
  readonly to: string;
}

const partOf = (file: string) => file.split('/', 1)[0] ?? '';

const filesIn = (folder: string, pattern = '**/*.ts{,x}') =>
  [...new Glob(pattern).scanSync(folder)].filter((file) => !/\.test\.|(^|\/)node_modules\//.test(file)).sort();

const files = filesIn(root);
const imports = await importsOf(root, files);

/** Their relative imports, and the modules of workers that they start. */
async function importsOf(folder: string, some: readonly string[]): Promise<Import[]> {
  const sources = await Promise.all(some.map((file) => Bun.file(join(folder, file)).text()));
  return some
    .flatMap((from, index) =>
      [...(sources[index] ?? '').matchAll(/(?:from|import|import\(|new URL\()\s*'(\.[^']+)'/g)].map(
        ([, path = '']) => ({
          from,
          to: normalize(join(dirname(from), path)),
        }),
      ),
    )
    .filter(({ to }) => to !== '../package.json');
}

test('each part imports only what its wall lets through', () => {
  const breaches = imports.filter(({ from, to }) => {
    const [part, target] = [partOf(from), partOf(to)];
    return part !== target && !walls[part]?.includes(target);
  });

  expect(breaches).toEqual([]);
});

test('the service uses the build of the page alone', () => {
  const used = imports.filter(({ from, to }) => partOf(from) === 'service' && partOf(to) === 'page');

  expect(used.map(({ to }) => to)).toEqual(['page/build/worker.ts']);
});

test('views of the page import its state, and never the reverse', () => {
  const breaches = imports.filter(
    ({ from, to }) => from.startsWith('page/state/') && !/^page\/state\/|^(?!page\/)/.test(to),
  );

  expect(breaches).toEqual([]);
  expect(files.filter((file) => /^page\/state\/.*\.tsx$/.test(file))).toEqual([]);
});

test('the keyboard imports no folder of the page that brings it commands', () => {
  const brings = /^page\/(?:list|note|editor)\//;

  expect(imports.filter(({ from, to }) => from.startsWith('page/keyboard/') && brings.test(to))).toEqual([]);
});

test('no imports go in a circle', async () => {
  const all = filesIn(repository, '{src,test,bench,scripts}/**/*.ts{,x}');

  expect(all).toContain('src/main.ts');
  expect(circlesIn(await importsOf(repository, all))).toEqual([]);
});

/**
 * A folder and one below it may: the folder holds what those below share, and one file that gathers them, as
 * `service/http/app.ts` does.
 */
test.each([
  ['src', files],
  ['test', [...new Glob('**/*.ts{,x}').scanSync(join(repository, 'test'))]],
])('no two folders of %s import each other', async (top, some) => {
  const across = (await importsOf(join(repository, top), some))
    .map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }))
    .filter(({ from, to }) => from !== to && !isBelow(from, to) && !isBelow(to, from));
  const pairs = new Set(across.map(({ from, to }) => `${from} ${to}`));

  expect([...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')))).toEqual([]);
});

const isBelow = (folder: string, above: string) => above === '.' || folder.startsWith(`${above}/`);

test.each(['src', 'test', 'bench', 'scripts'])(`no folder of %s holds more than ${maxFiles} files of source`, (top) => {
  const counts = new Map<string, number>();
  for (const file of filesIn(join(repository, top))) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);

  expect([...counts].filter(([, count]) => count > maxFiles)).toEqual([]);
});

test('no file of source has more than 300 lines', async () => {
  const long: string[] = [];
  for (const file of filesIn(repository, '{src,bench,scripts}/**/*.ts{,x}')) {
    const lines = (await Bun.file(join(repository, file)).text()).split('\n').length - 1;
    if (lines > 300) long.push(`${file}: ${lines}`);
  }

  expect(long).toEqual([]);
});

test('the service opens stores and copies them, and knows no engine elsewhere', () => {
  const meeting = imports.filter(({ from, to }) => partOf(from) === 'service' && partOf(to) === 'store');

  expect([...new Set(meeting.map(({ from }) => from))]).toEqual(['service/backups.ts', 'service/open-store.ts']);
});

test('only main.ts touches the environment of the process and ends it', async () => {
  const users: string[] = [];
  for (const file of files) {
    const source = await Bun.file(join(root, file)).text();
    if (/(?<!')process\.env|Bun\.env|process\.exit(Code)?\b/.test(source)) users.push(file);
  }

  expect(users).toEqual(['main.ts']);
});

test('circles are found', () => {
  const chain = (...names: string[]) => names.slice(1).map((to, index) => ({ from: names[index] ?? '', to }));

  expect(circlesIn([...chain('a', 'b', 'c'), ...chain('a', 'c')])).toEqual([]);
  expect(circlesIn(chain('a', 'b', 'c', 'b'))).toEqual(['b -> c -> b']);
});

/**
 * Each as the files on it, found by a walk in depth: an import of a file that is still being walked closes a circle.
 */
function circlesIn(all: readonly Import[]): string[] {
  const targets = Map.groupBy(all, ({ from }) => from);
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const { from } of all) walk(from, []);
  return circles;
}
