/** Builds the files of the page in memory. Takes about 0.5 s, so it runs in a worker. */
import { join } from 'node:path';
import { compile, optimize } from '@tailwindcss/node';
import { Scanner } from '@tailwindcss/oxide';

const folder = join(import.meta.dir, '..');

/** A file of the page. Names under `assets/` contain a content hash. */
export type BuiltFile = Readonly<{ path: string; type: string; bytes: Uint8Array<ArrayBuffer> }>;

/** The files of the page, its HTML document first. Throws if a source has an error. */
export async function buildPage(): Promise<BuiltFile[]> {
  const [main, renderWorker, diffWorker, searchWorker, head, style, light, dark, ...icons] = await Promise.all([
    bundle('main.tsx', 'esm'),
    bundle('markdown/render-worker.ts', 'esm'),
    bundle('history/diff-worker.ts', 'iife'),
    bundle('search/search-worker.ts', 'iife'),
    bundle('head.ts', 'iife'),
    buildStyle(),
    ...['loop-light.webp', 'loop-dark.webp', 'icon.svg', 'icon.png', 'icon-192.png', 'icon-512.png'].map((name) =>
      readAsset(name),
    ),
  ]);
  const manifest = await readAsset('manifest.webmanifest', icons);
  const files = [...main, ...renderWorker, ...diffWorker, ...searchWorker, ...head, style, ...icons, manifest];
  const assets = [...new Map(files.map((file) => [file.path, file])).values()]; // page and worker may share a chunk
  const loops = [light, dark].filter((loop) => loop !== undefined); // seen once: not kept for visits without the service
  const html = named(await readText('index.html'), [...assets, ...loops]);
  const PAGE_FILES = JSON.stringify(assets.map(({ path }) => path).join(' '));
  const [serviceWorker] = await bundle('service-worker.ts', 'iife', { PAGE_FILES });
  if (serviceWorker === undefined) throw new Error('The bundler made no service worker');
  return [
    { path: '', type: 'text/html; charset=utf-8', bytes: bytesOf(html) },
    { ...serviceWorker, path: 'service-worker.js' },
    ...assets,
    ...loops,
  ];
}

/** Lazily imported modules become chunks. `define`: expressions that replace names. */
async function bundle(entry: string, format: 'esm' | 'iife', define = {}): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, entry)],
    target: 'browser',
    external: ['bun:sqlite'], // in the part of an import that the page refuses before
    format,
    splitting: format === 'esm',
    minify: true,
    naming: '[name]-[hash].[ext]',
    define: { ...define, 'process.env.NODE_ENV': '"production"' }, // also selects the builds of packages
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  });
  return Promise.all(
    outputs.map(async (output) => ({
      path: `assets/${output.path.replace(/^\.\//, '')}`,
      type: output.type,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}

/** Does not use Bun's CSS bundler, which breaks nesting. */
async function buildStyle(): Promise<BuiltFile> {
  const polyfills = 0; // none: they are for browsers older than the page takes
  const compiler = await compile(await readText('page.css'), { base: folder, polyfills, onDependency() {} });
  const scanner = new Scanner({ sources: compiler.sources });
  const { code } = optimize(compiler.build(scanner.scan()), { minify: true });
  return asset('page.css', bytesOf(`${code}\n${await readText('ui/hits.css')}`));
}

/** Reads a file; references to `others` become their built names. */
async function readAsset(name: string, others: readonly BuiltFile[] = []): Promise<BuiltFile> {
  if (others.length === 0) return asset(name, await Bun.file(join(folder, name)).bytes());
  return asset(name, bytesOf(named(await readText(name), others).replaceAll('"assets/', '"')));
}

function asset(name: string, bytes: Uint8Array<ArrayBuffer>): BuiltFile {
  const [base = '', extension = ''] = name.split('.');
  return { path: `assets/${base}-${Bun.hash(bytes).toString(36)}.${extension}`, type: Bun.file(name).type, bytes };
}

/** Replaces each source name in quotes, as `"page.css"`, by the path of its built file. */
function named(text: string, files: readonly BuiltFile[]): string {
  return files.reduce((named, { path }) => {
    const [, base, extension] = /^assets\/(.*)-\w+\.(\w+)$/.exec(path) ?? [];
    const source = extension === 'js' ? `${base}\\.tsx?` : `${base}\\.${extension}`;
    return named.replaceAll(new RegExp(`"${source}"`, 'g'), `"${path}"`);
  }, text);
}

const readText = (name: string) => Bun.file(join(folder, name)).text();

const bytesOf = (text: string) => new TextEncoder().encode(text);
