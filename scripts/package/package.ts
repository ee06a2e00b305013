/**
 * Builds the npm package: `dist/notes-service-notes-<version>.tgz`, and its files in `dist/package`. It contains the
 * program as modules for Bun, which npm installs for the system, and the client with its types.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { $, Glob } from 'bun';
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dir, '..', '..');
const check = spawnSync('node', [join(root, 'scripts', 'install.mjs'), '--check'], { stdio: 'inherit' });
if (check.status !== 0) process.exit(1);

// Imported after the check: without its packages, a static import would end this program with a stack trace.
const { default: bun } = await import('bun/package.json', { with: { type: 'json' } });
const { buildPageAndCreateBundleOptions } = await import('../bundle.ts');

const folder = join(root, 'dist', 'package');
const modules = join(root, 'node_modules');

/** The systems supported by the executable too. */
const systems = /^@oven\/bun-(?:darwin|linux|windows)-(?:x64|aarch64)(?:-musl)?$/;

const { name, version, description, license, type, engines } = packageJson;
const manifest = {
  name,
  private: true, // npm then never publishes it: it is installed from the file
  version,
  description,
  license,
  type,
  engines,
  bin: { notes: 'bin/notes.mjs' },
  exports: { '.': { types: './types/client/client.d.ts', default: './client.js' }, './package.json': './package.json' },
  types: 'types/client/client.d.ts',
  files: ['bin', 'lib', 'types', 'client.js'],
  optionalDependencies: Object.fromEntries(
    Object.entries(bun.optionalDependencies).filter(([system]) => systems.test(system)),
  ),
};

/** Replaces the source names of workers, and the build folder in bundled packages. */
const replaceSourceNames = (script: string) =>
  script.replaceAll('-worker.ts"', '-worker.js"').replaceAll(modules, 'node_modules');

async function bundleAndWriteProgram(): Promise<void> {
  const pages = mkdtempSync(join(root, 'dist', '.page-'));
  try {
    const minify = { whitespace: true, syntax: true };
    const { outputs } = await Bun.build({ ...(await buildPageAndCreateBundleOptions(pages)), minify });
    for (const output of outputs) {
      const place = join(folder, 'lib', output.path);
      const isScript = output.kind !== 'asset';
      await Bun.write(place, isScript ? replaceSourceNames(await output.text()) : output);
    }
    await Bun.write(join(folder, 'lib', 'bunfig.toml'), '');
  } finally {
    rmSync(pages, { recursive: true });
  }
  cpSync(join(root, 'scripts', 'package', 'notes.mjs'), join(folder, 'bin', 'notes.mjs'));
  chmodSync(join(folder, 'bin', 'notes.mjs'), 0o755);
}

/** One module for Bun, Node.js and browsers. */
async function bundleAndWriteClient(): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [join(root, 'src', 'client', 'client.ts')], format: 'esm' });
  const [client] = outputs;
  if (client === undefined) throw new Error('The bundler made no client');
  await Bun.write(join(folder, 'client.js'), client);
}

/** Writes the types with `.js` imports, and with references to the libraries needed beyond ES2022. */
async function emitAndWriteTypes(): Promise<void> {
  const emitted = mkdtempSync(join(root, 'dist', '.types-'));
  try {
    await $`${join(root, 'node_modules', '.bin', 'tsc')} -p ${join(import.meta.dir, 'tsconfig.json')} --outDir ${emitted}`;
    const plain = (await Bun.file(join(emitted, 'scripts', 'package', 'note-types.d.ts')).text())
      .replace(/^import .*\n/m, '')
      .replaceAll('domain.', '')
      .replaceAll(/export declare const (\w+):/g, 'export type $1 =');
    for (const path of new Glob('**/*.d.ts').scanSync(join(emitted, 'src'))) {
      const text = path === join('core', 'note.d.ts') ? plain : await Bun.file(join(emitted, 'src', path)).text();
      const library = text.includes('AsyncDisposable') ? '/// <reference lib="esnext.disposable" />\n' : '';
      await Bun.write(join(folder, 'types', path), library + text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await bundleAndWriteProgram();
await bundleAndWriteClient();
await emitAndWriteTypes();
await Bun.write(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
for (const file of ['README.md', 'LICENSE']) cpSync(join(root, file), join(folder, file));
await $`npm pack --silent --pack-destination ${join(root, 'dist')}`.cwd(folder);
