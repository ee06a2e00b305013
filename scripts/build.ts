/**
 * Builds `dist/notes`: the program, its page and the runtime in one self-contained file.
 * `npm run build -- --target bun-linux-arm64 --outfile dist/notes-linux-arm64` builds for another system.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPageAndCreateBundleOptions, root } from './bundle.ts';

const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } });
const outfile = resolve(values.outfile ?? join(root, 'dist', 'notes'));
const home = dirname(outfile);

/** Bytecode halves the start time; minification and source map do not change it: docs/decisions/06-command-line.md. */
async function compileExecutable(folder: string): Promise<string> {
  const { outputs } = await Bun.build({
    ...(await buildPageAndCreateBundleOptions(folder)),
    bytecode: true,
    sourcemap: 'inline',
    compile: {
      outfile: join(folder, basename(outfile)),
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(values.target && { target: values.target as Bun.Build.CompileTarget }), // Bun refuses unknown ones
    },
  });
  const made = outputs.find(({ kind }) => kind === 'entry-point');
  if (made === undefined) throw new Error('The bundler made no program');
  return made.path;
}

mkdirSync(home, { recursive: true });
const folder = mkdtempSync(join(home, '.build-'));
try {
  const made = await compileExecutable(folder);
  const place = join(home, basename(made));
  renameSync(made, place); // atomic: the old one may be running
  console.log(`${place} (${(Bun.file(place).size / 1e6).toFixed(0)} MB)`);
} finally {
  rmSync(folder, { recursive: true });
}
