/** The sizes of the built files of the page, compressed. */
import { buildPage } from '../../src/page/build/build.ts';

/** What is loaded at first is named by the document; the other scripts are loaded when they are needed. */
export async function measurePageSizes() {
  const files = await buildPage();
  const html = new TextDecoder().decode(files[0]?.bytes);
  const kilobytes = (some: typeof files) =>
    some.reduce((sum, { bytes }) => sum + Bun.gzipSync(bytes, { level: 9 }).length, 0) / 1024;
  const scripts = files.filter(({ path }) => path.endsWith('.js'));
  const size = (name: string, some: typeof files, bar: number) => ({
    name: `${name}, gzip`,
    value: kilobytes(some),
    unit: 'KB',
    bar,
    digits: 1,
  });
  return [
    size(
      'scripts loaded at first',
      scripts.filter(({ path }) => html.includes(`src="${path}"`)),
      40,
    ),
    size(
      'style',
      files.filter(({ path }) => path.endsWith('.css')),
      14,
    ),
  ];
}
