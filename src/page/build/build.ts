/** Builds the files of the page in memory. Takes about 0.5 s, so it runs in a worker. */
import { join } from 'node:path';
import { compile, optimize } from '@tailwindcss/node';
import { Scanner } from '@tailwindcss/oxide';

const pageFolder = join(import.meta.dir, '..');

/** A file of the page. Names under `assets/` contain a content hash. */
export type BuiltFile = Readonly<{ path: string; type: string; bytes: Uint8Array<ArrayBuffer> }>;

/** The files of the page, its HTML document first. Throws if a source has an error. */
export async function buildPage(): Promise<BuiltFile[]> {
  const [main, renderWorker, diffWorker, searchWorker, head, style, light, dark, ...icons] = await Promise.all([
    buildScripts('main.tsx', 'esm'),
    buildScripts('markdown/render-worker.ts', 'esm'),
    buildScripts('history/diff-worker.ts', 'iife'),
    buildScripts('search/search-worker.ts', 'iife'),
    buildScripts('head.ts', 'iife'),
    buildStyle(),
    ...['loop-light.webp', 'loop-dark.webp', 'icon.svg', 'icon.png', 'icon-192.png', 'icon-512.png'].map((name) =>
      buildAsset(name),
    ),
  ]);
  const manifest = await buildAsset('manifest.webmanifest', icons);
  const files = [...main, ...renderWorker, ...diffWorker, ...searchWorker, ...head, style, ...icons, manifest];
  const assets = [...new Map(files.map((file) => [file.path, file])).values()]; // page and worker may share a chunk
  const loops = [light, dark].filter((loop) => loop !== undefined); // seen once: not kept for visits without the service
  const html = replaceSourceNames(await readPageSource('index.html'), [...assets, ...loops]);
  const PAGE_FILES = JSON.stringify(assets.map(({ path }) => path).join(' '));
  const [serviceWorker] = await buildScripts('service-worker.ts', 'iife', { PAGE_FILES });
  if (serviceWorker === undefined) throw new Error('The bundler made no service worker');
  return [
    { path: '', type: 'text/html; charset=utf-8', bytes: encodeUtf8(html) },
    { ...serviceWorker, path: 'service-worker.js' },
    ...assets,
    ...loops,
  ];
}

/** Lazily imported modules become chunks. `define`: expressions that replace names. */
async function buildScripts(entry: string, format: 'esm' | 'iife', define = {}): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(pageFolder, entry)],
    target: 'browser',
    external: ['bun:sqlite'], // in the part of an import that the page refuses before
    format,
    conditions: entry.endsWith('-worker.ts') ? ['worker'] : [], // the builds of packages that need no document
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
  const compiler = await compile(await readPageSource('page.css'), { base: pageFolder, polyfills, onDependency() {} });
  const scanner = new Scanner({ sources: compiler.sources });
  const { code } = optimize(compiler.build(scanner.scan()), { minify: true });
  return createAsset('page.css', encodeUtf8(`${code}\n${await readPageSource('ui/hits.css')}`));
}

/** Reads a file; references to `others` become their built names. */
async function buildAsset(name: string, others: readonly BuiltFile[] = []): Promise<BuiltFile> {
  if (others.length === 0) return createAsset(name, await Bun.file(join(pageFolder, name)).bytes());
  return createAsset(
    name,
    encodeUtf8(replaceSourceNames(await readPageSource(name), others).replaceAll('"assets/', '"')),
  );
}

function createAsset(name: string, bytes: Uint8Array<ArrayBuffer>): BuiltFile {
  const [base = '', extension = ''] = name.split('.');
  return { path: `assets/${base}-${Bun.hash(bytes).toString(36)}.${extension}`, type: Bun.file(name).type, bytes };
}

/** Replaces each source name in quotes, as `"page.css"`, by the path of its built file. */
function replaceSourceNames(text: string, files: readonly BuiltFile[]): string {
  return files.reduce((named, { path }) => {
    const [, base, extension] = /^assets\/(.*)-\w+\.(\w+)$/.exec(path) ?? [];
    const source = extension === 'js' ? `${base}\\.tsx?` : `${base}\\.${extension}`;
    return named.replaceAll(new RegExp(`"${source}"`, 'g'), `"${path}"`);
  }, text);
}

const readPageSource = (name: string) => Bun.file(join(pageFolder, name)).text();

const encodeUtf8 = (text: string) => new TextEncoder().encode(text);
