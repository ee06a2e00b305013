/** Comments and documents name only functions, fields and variables that exist. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '..', '..');
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Names of other programs and platforms, which our code does not have to use. */
const foreignNames: ReadonlyMap<string, string> = new Map([
  ['chatModel', 'a file of the sources of VS Code'],
  ['defaultMode', 'a field of Kubernetes'],
  ['globalStorage', 'a folder of VS Code'],
  ['isIP', 'a function of Node'],
  ['mcpServers', 'a field in the settings of MCP clients'],
  ['setHTML', 'a method of browsers'],
]);

const readFiles = (pattern: string) =>
  Promise.all(
    [...new Glob(pattern).scanSync(root)]
      .filter((path) => !path.includes('node_modules'))
      .map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
  );

const sources = await readFiles('{src,test,bench,scripts}/**/*.{ts,tsx,mjs,sql,css}');
const documents = await readFiles('docs/**/*.md');
const code = sources.map(({ text }) => text.replace(comment, '')).join('\n');
const knownNames = new Set(code.match(/[A-Za-z_$][\w$]*/g));

/** Lists the names in backticks, such as `readNote` and `note.updatedAt`, that no code has. */
function listDeadNames(text: string): readonly string[] {
  const quoted = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, words = '']) => words);
  const names = quoted.flatMap((words) => words.match(/(?<![\w./-])[a-z]+[A-Z]\w*/g) ?? []);
  return names.filter((name) => !knownNames.has(name) && !foreignNames.has(name));
}

test('comments name what exists', () => {
  const dead = sources.flatMap(({ path, text }) =>
    (text.match(comment) ?? []).flatMap(listDeadNames).map((name) => `${path}: ${name}`),
  );

  expect(dead).toEqual([]);
});

test('documents name what exists', () => {
  const dead = documents.flatMap(({ path, text }) =>
    listDeadNames(text.replace(/```[\s\S]*?```/g, '')).map((name) => `${path}: ${name}`),
  );

  expect(dead).toEqual([]);
});

test('the wall around the storages names files that exist', async () => {
  const walls = await Bun.file(join(root, 'biome.json')).text();
  const names = walls.match(/"\.\.\/\*\*\/\{(.*)\}\.ts"/)?.[1]?.split(',') ?? [];
  const isMissing = (name: string) => !sources.some(({ path }) => path === `src/store/${name}.ts`);

  expect(names.length).toBeGreaterThan(0);
  expect(names.filter(isMissing)).toEqual([]);
});
