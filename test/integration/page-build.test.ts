import { expect, test } from 'bun:test';
import { type BuiltFile, buildPage } from '../../src/page/build/build.ts';

const files = await buildPage();
const html = new TextDecoder().decode(files[0]?.bytes);

const kilobytes = (some: readonly BuiltFile[]) =>
  some.reduce((sum, { bytes }) => sum + Bun.gzipSync(bytes, { level: 9 }).length, 0) / 1024;

test('the document refers only to files that exist', () => {
  const paths = new Set(files.map(({ path }) => path));

  const named = [...html.matchAll(/(?:src|href|data-(?:render|diff)-worker)="([^"]*)"/g)].map(
    (match) => match[1] ?? '',
  );

  expect(named.filter((name) => !paths.has(name))).toEqual(['docs']);
  expect(named.length).toBeGreaterThan(7);
});

test('the page can be installed: its manifest names icons of the sizes that browsers require', () => {
  const manifest = files.find(({ path }) => path.endsWith('.webmanifest'));
  const { icons, start_url, scope, display } = JSON.parse(new TextDecoder().decode(manifest?.bytes));

  const findPictureWidth = (src: string) => {
    const bytes = files.find(({ path }) => path === `assets/${src}`)?.bytes;
    return bytes && new DataView(bytes.buffer, bytes.byteOffset).getUint32(16); // the width in a PNG header
  };
  const pictures = icons.filter(({ type }: { type: string }) => type === 'image/png');
  expect(pictures.map(({ src, sizes }: { src: string; sizes: string }) => [sizes, findPictureWidth(src)])).toEqual([
    ['192x192', 192],
    ['512x512', 512],
  ]);
  expect({ start_url, scope, display }).toEqual({ start_url: '../', scope: '../', display: 'standalone' });
});

test('scripts and style stay within the size limits of the page', () => {
  const scripts = files.filter(({ path }) => path.endsWith('.js'));
  const first = scripts.filter(({ path }) => html.includes(`src="${path}"`));
  const includes = ({ bytes }: BuiltFile, text: string) => new TextDecoder().decode(bytes).includes(text);
  const editor = scripts.filter((script) => includes(script, 'cm-content'));
  const rare = scripts.filter((script) => includes(script, '"Haskell"') || includes(script, 'foldr1'));
  const later = scripts.filter((script) => ![...first, ...editor, ...rare].includes(script));

  expect(first.length).toBe(2);
  expect(kilobytes(first)).toBeLessThan(40);
  expect(kilobytes(editor)).toBeWithin(60, 140);
  for (const script of later) expect(kilobytes([script])).toBeLessThan(60);
  expect(kilobytes(files.filter(({ path }) => path.endsWith('.css')))).toBeLessThan(14);
});
