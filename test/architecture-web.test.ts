/** The folders of src/web: views stand above state, and no import goes in circles. Type-only imports count. */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '..', 'src', 'web');

const imported = /(?:from|import\(|^import)\s*'(\.[^']+)'/gm;

/** The files of src/web that each one imports, all relative to src/web. */
const imports = new Map<string, readonly string[]>();
for await (const file of new Glob('**/*.ts{,x}').scan(root)) {
  if (file.includes('.test.')) continue;
  const source = await Bun.file(join(root, file)).text();
  const targets = [...source.matchAll(imported)].map(([, target = '']) => normalize(join(dirname(file), target)));
  imports.set(
    file,
    targets.filter((target) => !target.startsWith('..')),
  );
}

/** A way through the graph that ends where it begins, or none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  function visit(node: string, path: readonly string[]): readonly string[] {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return [];
    done.add(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle.length > 0) return circle;
    }
    return [];
  }
  return [...graph.keys()].map((node) => visit(node, [])).find((circle) => circle.length > 0) ?? [];
}

test('views import state, and state imports no view', () => {
  const breaches = [...imports]
    .filter(([file]) => file.startsWith('state/'))
    .flatMap(([file, targets]) =>
      targets.filter((target) => !target.startsWith('state/')).map((target) => `${file} imports ${target}`),
    );

  expect([...imports.keys()].filter((file) => /^state\/.*\.tsx$/.test(file))).toEqual([]);
  expect(breaches).toEqual([]);
});

test('the keyboard imports no folder that brings it commands', () => {
  const targets = [...imports].filter(([file]) => file.startsWith('keyboard/')).flatMap(([, targets]) => targets);

  expect(targets.filter((target) => /^(?:list|note|editor)\//.test(target))).toEqual([]);
});

test('no file imports itself through others', () => {
  expect(circleIn(imports)).toEqual([]);
});

test('no two folders import each other, directly or through others', () => {
  const folders = new Map<string, string[]>();
  for (const [file, targets] of imports) {
    const folder = dirname(file);
    const others = targets.map(dirname).filter((other) => other !== folder);
    folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
  }

  expect(circleIn(folders)).toEqual([]);
});

test('no folder holds more files than one can survey', () => {
  const sizes = Map.groupBy(imports.keys(), dirname);

  const crowded = [...sizes].filter(([, files]) => files.length > 12).map(([folder]) => folder);

  expect(crowded).toEqual([]);
});
