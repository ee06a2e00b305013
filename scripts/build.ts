/**
 * Makes `dist/notes`: the program, its page and the runtime in one file that needs nothing beside it.
 * `npm run build -- --target bun-linux-arm64 --outfile dist/notes-linux-arm64` makes it for another system.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { $, Glob } from 'bun';
import { type BuiltFile, buildPage } from '../src/web/build/build.ts';

const root = join(import.meta.dir, '..');
const source = join(root, 'src');

const targets = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-linux-arm64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
  'bun-windows-x64',
] as const satisfies readonly Bun.Build.CompileTarget[];
type Target = (typeof targets)[number];

interface Order {
  readonly outfile: string;
  /** This system's when left out. */
  readonly target?: Target;
}

function readOrder(): Order {
  const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } });
  const outfile = resolve(values.outfile ?? join(root, 'dist', 'notes'));
  if (values.target === undefined) return { outfile };
  const target = targets.find((known) => known === values.target);
  if (target === undefined) throw new Error(`--target must be one of ${targets.join(', ')}, not ${values.target}`);
  return { outfile, target };
}

/** The module that takes the place of src/server/load-page.ts: the page is made already, and laid in `folder`. */
async function pageModule(files: readonly BuiltFile[], folder: string): Promise<string> {
  const laid = files.map((file, index) => ({ ...file, name: `file${index}`, place: join(folder, `${index}.page`) }));
  await Promise.all(laid.map(({ place, bytes }) => Bun.write(place, bytes)));
  const imports = laid.map(
    ({ name, place }) => `import ${name} from ${JSON.stringify(place)} with { type: 'file' };\n`,
  );
  const entries = laid.map(({ name, path, type }) => `[${JSON.stringify(path)}, ${JSON.stringify(type)}, ${name}],\n`);
  return `${imports.join('')}const files = [\n${entries.join('')}];
export const loadPage = () =>
  Promise.all(files.map(async ([path, type, file]) => ({ path, type, bytes: await Bun.file(file).bytes() })));
`;
}

/** The commit of the sources and its date; outside of a repository what NOTES_COMMIT says, and today. */
async function origin() {
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
 * Threads are programs of their own. All modules lie in one folder of the file, so their names must differ.
 * Split and compiled ahead it starts in half the time; minified no faster, and a source map costs none:
 * docs/decisions/06-command-line.md.
 */
async function compile({ outfile, target }: Order, folder: string): Promise<string> {
  const workers = [...new Glob('{formats,search,store}/**/*-worker.ts').scanSync({ cwd: source, absolute: true })];
  const { outputs } = await Bun.build({
    entrypoints: [join(source, 'main.ts'), ...workers],
    files: { [join(source, 'server', 'load-page.ts')]: await pageModule(await buildPage(), folder) },
    naming: { entry: '[name].[ext]' },
    define: { BUILT_FROM: JSON.stringify(await origin()) },
    target: 'bun',
    format: 'esm',
    splitting: true,
    bytecode: true,
    sourcemap: 'inline',
    compile: {
      outfile: join(folder, basename(outfile)),
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target !== undefined && { target }),
    },
  });
  const made = outputs.find(({ kind }) => kind === 'entry-point');
  if (made === undefined) throw new Error('The bundler made no program');
  return made.path;
}

const order = readOrder();
const home = dirname(order.outfile);
mkdirSync(home, { recursive: true });
const folder = mkdtempSync(join(home, '.build-'));
try {
  const made = await compile(order, folder);
  const place = join(home, basename(made));
  renameSync(made, place); // at once: the old one may be running
  console.log(`${place} (${(Bun.file(place).size / 1e6).toFixed(0)} MB)`);
} finally {
  rmSync(folder, { recursive: true });
}
