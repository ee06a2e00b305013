/**
 * Builds `dist/notes`: the program, its page and the runtime in one self-contained file.
 * `npm run build -- --target bun-linux-arm64 --outfile dist/notes-linux-arm64` builds for another system.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleOf, root } from './bundle.ts';

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
  /** By default, this system. */
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

/** Bytecode halves the start time; minification and source map do not change it: docs/decisions/06-command-line.md. */
async function compile({ outfile, target }: Order, folder: string): Promise<string> {
  const { outputs } = await Bun.build({
    ...(await bundleOf(folder)),
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
  renameSync(made, place); // atomic: the old one may be running
  console.log(`${place} (${(Bun.file(place).size / 1e6).toFixed(0)} MB)`);
} finally {
  rmSync(folder, { recursive: true });
}
