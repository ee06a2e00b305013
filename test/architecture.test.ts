/** The walls of docs/architecture.md: which folder of src may import which. Type-only imports count. */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '..', 'src');
const parts = [
  'shared',
  'domain',
  'store',
  'http',
  'client',
  'web',
  'formats',
  'mcp',
  'server',
  'cli',
  'config.ts',
  'main.ts',
] as const;
type Part = (typeof parts)[number];

const allowed: Record<Part, readonly Part[]> = {
  shared: [],
  domain: ['shared'],
  store: ['domain', 'shared'],
  http: ['domain', 'shared'],
  client: ['domain', 'shared'],
  web: ['domain', 'client', 'shared'],
  mcp: ['domain', 'shared'],
  formats: ['domain', 'shared'],
  server: ['store', 'http', 'mcp', 'domain', 'shared', 'config.ts'],
  cli: ['domain', 'shared', 'store', 'http', 'client', 'web', 'formats', 'mcp', 'server', 'config.ts'],
  'config.ts': ['shared'],
  'main.ts': ['cli', 'config.ts'],
};

const importsIn = (source: string) => [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1]);

const partOf = (file: string) => parts.find((part) => file === part || file.startsWith(`${part}/`));

test('each part of src imports only what its wall lets through', async () => {
  const breaches: string[] = [];
  for await (const file of new Glob('**/*.ts{,x}').scan(root)) {
    if (file.includes('.test.')) continue;
    const from = partOf(file);
    for (const target of importsIn(await Bun.file(join(root, file)).text())) {
      const to = normalize(join(dirname(file), target ?? ''));
      if (to === '../package.json') continue;
      const part = partOf(to);
      const isAllowed = from && part && (part === from || allowed[from].includes(part));
      if (!isAllowed) breaches.push(`${file} imports ${to}`);
    }
  }
  expect(breaches).toEqual([]);
});

test('engines and the HTTP interface meet in one file only', async () => {
  const meeting: string[] = [];
  for await (const file of new Glob('**/*.ts').scan(root)) {
    const targets = importsIn(await Bun.file(join(root, file)).text()).map((target) =>
      normalize(join(dirname(file), target ?? '')),
    );
    const reached = new Set(targets.map(partOf));
    if (reached.has('store') && reached.has('http')) meeting.push(file);
  }
  expect(meeting).toEqual(['server/open-store.ts']);
});

test('only main.ts touches the environment of the process and ends it', async () => {
  const users: string[] = [];
  for await (const file of new Glob('**/*.ts').scan(root)) {
    if (file.includes('.test.')) continue;
    const source = await Bun.file(join(root, file)).text();
    if (/(?<!')process\.env|Bun\.env|process\.exit\b(?!Code)/.test(source)) users.push(file);
  }
  expect(users).toEqual(['main.ts']);
});
