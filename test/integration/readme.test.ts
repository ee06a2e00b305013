/** README is true: its tour works, its settings are complete, and its backup is consistent. */
import { expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settings } from '../../src/config/settings-table.ts';
import type { Note } from '../../src/core/note.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  programInShell,
  runNotesCommand,
  startService,
} from '../support/service.ts';
import { createZip } from './zip.ts';

const root = join(import.meta.dir, '..', '..');
const readme = await Bun.file(join(root, 'README.md')).text();

const blocks = (kind: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`sh ${kind}\n([^]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');

test('the tour works as written', async () => {
  await using service = await startService();
  const commands = blocks('tour')
    .join('')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '');
  const shown = commands.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));

  const answers = commands
    .filter((line) => line.startsWith('curl '))
    .map((line) => line.replace('localhost:3000', `127.0.0.1:${service.port}`))
    .map((line) => Bun.spawnSync(['bash', '-c', line]).stdout.toString());

  const [created = '', all = '', some = '', changed = '', archived = '', back = '', refused = ''] = answers;
  const note: Note = JSON.parse(created);
  expect(note).toMatchObject({ id: 1, title: 'Focus ring', archived: false });
  expect(JSON.parse(all)).toEqual([note]);
  expect(JSON.parse(some)).toEqual([note]);
  expect(JSON.parse(changed)).toMatchObject({ id: 1, color: 'warning' });
  expect([JSON.parse(archived).archived, JSON.parse(back).archived]).toEqual([true, false]);
  expect([refused]).toEqual(shown);
  expect(answers).toHaveLength(7);
});

test('the table lists every setting, with its default', async () => {
  const page = await Bun.file(join(root, 'docs/operations/settings.md')).text();
  for (const { variable, flag, fallback } of Object.values(settings)) {
    const shown = typeof fallback === 'function' ? '' : `${fallback === '' ? 'none' : `\`${fallback}\``} |`;
    expect(page).toContain(`| \`${variable}\` | ${flag ? `\`${flag.split(' ')[0]}\`` : 'none'} | ${shown}`);
  }
});

test('the backup holds what was acknowledged before it, while the service runs', async () => {
  using folder = createTemporaryFolder();
  const settings = { XDG_DATA_HOME: folder.path, DATABASE_URL: '' };
  await using service = await startService(settings);
  await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
  const [command = ''] = blocks('backup');

  const { stdout } = await runNotesCommand(command.trim().split(' ').slice(1), settings);

  await using restored = await startService({ DATABASE_URL: `sqlite:${stdout.trim()}` });
  expect(await (await fetch(`${restored.url}/api/notes`)).json()).toHaveLength(1);
  expect(dirname(stdout)).toBe(join(folder.path, 'notes'));
});

/** A folder with a program `notes`. */
function folderOfProgram() {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder.path, 'notes'), `#!/bin/sh\nexec ${programInShell} "$@"\n`, { mode: 0o755 });
  return folder;
}

test('the commands for the terminal work as written', async () => {
  using folder = folderOfProgram();
  const [script = ''] = blocks('terminal');

  const shell = Bun.spawnSync(['bash', '-ec', script], {
    env: { PATH: `${folder.path}:${process.env['PATH']}`, XDG_DATA_HOME: join(folder.path, 'data'), HOME: folder.path },
  });

  expect(shell.stderr.toString()).toBe('');
  const lines = shell.stdout.toString().replaceAll(/\S+Z$/gm, '…');
  expect(lines).toBe(
    '1\n2\n1\tUndo the last commit\tbash-commands\tfirst\tneutral\tfalse\t…\nReview this Go code1\n2\n',
  );
});

test('the commands for importing from other programs work as written, page by page', async () => {
  using folder = folderOfProgram();
  mkdirSync(join(folder.path, 'massCode'));
  copyFileSync(join(root, 'test/fixtures/masscode/db.json'), join(folder.path, 'massCode/db.json'));
  writeFileSync(join(folder.path, 'snippets.json'), '[{"name": "Greeting", "text": "Hello"}]');
  cpSync(join(root, 'test/fixtures/espanso'), join(folder.path, '.config/espanso'), { recursive: true });
  cpSync(join(root, 'test/fixtures/pet'), join(folder.path, '.config/pet'), { recursive: true });
  cpSync(join(root, 'test/fixtures/navi'), join(folder.path, '.local/share/navi/cheats'), { recursive: true });
  mkdirSync(join(folder.path, 'vault'));
  writeFileSync(join(folder.path, 'vault/Idea.md'), 'One');
  const pages = [{ name: 'Plan 0123456789abcdef0123456789abcdef.md', content: '# Plan\n' }];
  writeFileSync(join(folder.path, 'notion.zip'), createZip(pages));
  const bundle = { 'text.md': '# Plan\n', 'info.json': '{"net.shinyfrog.bear":{}}' };
  const bundled = Object.entries(bundle).map(([name, content]) => ({
    name: `Backup/Plan.textbundle/${name}`,
    content,
  }));
  writeFileSync(join(folder.path, 'bear.bear2bk'), createZip(bundled));
  await writeTar(join(folder.path, 'joplin.jex'), join(root, 'test/fixtures/joplin/raw'));
  const content = await Bun.file(join(root, 'test/fixtures/chatgpt/conversations.json')).text();
  const [chat] = JSON.parse(content);
  const archive = createZip([{ name: 'conversations.json', content: JSON.stringify([chat]) }]);
  writeFileSync(join(folder.path, 'chatgpt.zip'), archive);
  const keepNote = await Bun.file(join(root, 'test/fixtures/google-keep/Takeout/Keep/Plan.json')).text();
  writeFileSync(
    join(folder.path, 'takeout.zip'),
    createZip([
      { name: 'Takeout/archive_browser.html', content: '<html></html>' },
      { name: 'Takeout/Keep/Plan.json', content: keepNote },
    ]),
  );
  const simplenote = await Bun.file(join(root, 'test/fixtures/simplenote/source/notes.json')).text();
  writeFileSync(join(folder.path, 'notes.zip'), createZip([{ name: 'source/notes.json', content: simplenote }]));
  const activity = 'Takeout/My Activity/Gemini Apps/MyActivity.json';
  const geminiContent = await Bun.file(join(root, 'test/fixtures/gemini', activity)).text();
  writeFileSync(join(folder.path, 'gemini.zip'), createZip([{ name: activity, content: geminiContent }]));
  await using memos = serveMemos({
    'NORMAL ': ['one', 'A+/='],
    'NORMAL A+/=': ['two', ''],
    'ARCHIVED ': ['three', ''],
  });
  const page = await Bun.file(join(root, 'docs', 'coming-from.md')).text();
  const commands = [...page.matchAll(/```sh coming\n([\s\S]*?)```/g)].map(([, text = '']) => text).join('');

  const shell = Bun.spawn(['bash', '-c', commands.replace('<address>', memos.url).replace('<token>', 'secret')], {
    cwd: folder.path,
    env: { PATH: `${folder.path}:${process.env['PATH']}`, XDG_DATA_HOME: join(folder.path, 'data'), HOME: folder.path },
    stderr: 'pipe',
  });

  const read = (await new Response(shell.stderr).text()).match(/^Read .*|^curl.*/gm);
  expect(read).toEqual([
    expect.stringMatching(/^Read 9 records from .* \(masscode\)/),
    expect.stringMatching(/^Read 9 records from .* \(masscode\)/),
    'Read 3 notes from memos.json (memos):',
    'Read 1 note from snippets.json (raycast):',
    expect.stringMatching(/^Read 22 records from .*\/.config\/espanso \(espanso\)/),
    expect.stringMatching(/^Read 22 records from .*\/.config\/espanso \(espanso\)/),
    expect.stringMatching(/^Read 6 records from .*\/.config\/pet\/snippet.toml \(pet\)/),
    expect.stringMatching(/^Read 7 records from .*\/navi\/cheats \(navi\)/),
    expect.stringMatching(/^Read 1 note from vault\/ \(markdown\)/),
    expect.stringMatching(/^Read 1 note from vault\/ \(markdown\)/),
    expect.stringMatching(/^Read 1 note from bear.bear2bk \(bear\)/),
    expect.stringMatching(/^Read 1 note from bear.bear2bk \(bear\)/),
    expect.stringMatching(/^Read 7 records from joplin.jex \(joplin\)/),
    expect.stringMatching(/^Read 7 records from joplin.jex \(joplin\)/),
    expect.stringMatching(/^Read 1 note from notion.zip \(notion\)/),
    expect.stringMatching(/^Read 1 note from notion.zip \(notion\)/),
    expect.stringMatching(/^Read 1 note from chatgpt.zip \(chatgpt\)/),
    expect.stringMatching(/^Read 2 records from takeout.zip \(mixed\)/),
    expect.stringMatching(/^Read 3 records from notes.zip \(simplenote\)/),
    expect.stringMatching(/^Read 4 records from gemini.zip \(mixed\)/),
  ]);
  expect(await shell.exited).toBe(0);
});

/** Packs the files of a folder. */
async function writeTar(path: string, folder: string): Promise<void> {
  const names = Array.from(new Bun.Glob('**/*').scanSync({ cwd: folder }));
  const files = names.map((name) => [name, readFileSync(join(folder, name))] as const);
  await Bun.write(path, await new Bun.Archive(Object.fromEntries(files)).bytes());
}

/** A server that answers like Memos: the content and next token of each page, by state and token. */
function serveMemos(pages: Readonly<Record<string, readonly [content: string, nextPageToken: string]>>) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url, headers }) {
      const { pathname, searchParams } = new URL(url);
      const isAllowed = pathname === '/api/v1/memos' && headers.get('authorization') === 'Bearer secret';
      const state = searchParams.get('state');
      const [content, nextPageToken] = pages[`${state} ${searchParams.get('pageToken')}`] ?? [];
      if (!isAllowed || content === undefined) return new Response('', { status: 404 });
      return Response.json({ memos: [{ name: `memos/${content}`, state, content }], nextPageToken });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

test('the request of MCP works as written', async () => {
  await using service = await startService({ MCP: 'read' });
  const page = await Bun.file(join(root, 'docs', 'mcp.md')).text();
  const command = /```sh mcp\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

  const { stdout } = Bun.spawnSync(['bash', '-c', command.replace('localhost:3000', `127.0.0.1:${service.port}`)]);

  expect(stdout.toString()).toContain('"name":"search"');
});

test('every command of notes in the documentation exists, with its options', async () => {
  const used = new Map<string, Set<string>>();
  for (const page of pages) {
    const text = await Bun.file(join(root, page)).text();
    const code = [...text.matchAll(/```sh.*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, inline]) => block ?? inline);
    const commands = code.join('\n').matchAll(/\bnotes (?!np[mx] )([a-z]+)(?=[\s"]|$)([^|;#)"\n]*)/gm);
    for (const [, name = '', rest = ''] of commands) {
      const options = rest.replaceAll(/'[^']*'/g, '').match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
      used.set(name, new Set([...(used.get(name) ?? []), ...options]));
    }
  }

  const missing: string[] = [];
  for (const [name, options] of used) {
    const { code, stdout } = await runNotesCommand([name, '--help']);
    const known: readonly string[] = stdout.match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
    if (code !== 0) missing.push(name);
    else missing.push(...[...options].filter((option) => !known.includes(option)).map((option) => `${name} ${option}`));
  }
  expect([used.size > 15, missing]).toEqual([true, []]);
});

/** A program `notes` from the npm registry, where that name belongs to somebody else. */
const programOfStranger = [
  /\b(?:npx|bunx|npm exec|npm x|bun x|pnpm dlx|yarn dlx)(?: +-\S+)* +notes\b.*/g,
  /\b(?:npm|pnpm|yarn|bun) +(?:install|i|add)(?: +-\S+)* +notes(?![\w./-]).*/g,
  /\bfrom ['"]notes['"].*/g,
];

test('no example runs, installs or imports what npm calls notes', async () => {
  const files = listPages([
    '*.md',
    'docs/**/*.md',
    'bench/*.md',
    'Dockerfile',
    '*.yaml',
    'deploy/**/*',
    'scripts/**/*',
  ]);
  const sources = listPages(['src/cli/**/*.ts', '.github/**/*.{yml,md}', '.ci/run']);
  const found: string[] = [];
  for (const file of [...files, ...sources]) {
    const text = await Bun.file(join(root, file)).text();
    const examples = programOfStranger.flatMap((pattern) => text.match(pattern) ?? []);
    found.push(...examples.filter((example) => !/--package=\S+\.tgz /.test(example)).map((line) => `${file}: ${line}`));
  }

  expect([files.length > 30, found]).toEqual([true, []]);
});

const listPages = (patterns: readonly string[]) =>
  patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);

const pages = listPages(['*.md', 'docs/**/*.md', 'bench/*.md']);

/** The anchors of a page, as GitHub derives them from headings. */
async function readAnchors(path: string): Promise<string[]> {
  const headings = (await Bun.file(path).text()).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('%s has no broken links', async (page) => {
  const text = (await Bun.file(join(root, page)).text()).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)|(?:src|srcset)="([^"]+)"/g)];
  const missing: string[] = [];
  for (const [, link, source = ''] of links) {
    const [path = '', anchor] = (link ?? source).split('#');
    const target = join(root, path === '' ? page : join(dirname(page), path));
    const isFound = existsSync(target) && (anchor === undefined || (await readAnchors(target)).includes(anchor));
    if (!isFound) missing.push(link ?? source);
  }

  expect(missing).toEqual([]);
});

const sourceFiles = listPages(['{src,test,bench,scripts}/**/*.{ts,tsx}']);

test.each(listPages(['docs/architecture.md', 'docs/decisions/*.md']))('%s names files that exist', async (page) => {
  const text = await Bun.file(join(root, page)).text();
  const names = text.match(/(?<![\w./-])\w[\w/-]*\.tsx?\b/g) ?? [];

  expect(names.filter((name) => !sourceFiles.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});

const written = listPages(['*.md', 'docs/**/*.md', 'bench/README.md']);

test.each(written)('%s has lines of at most 120 characters, except in tables', async (page) => {
  const lines = (await Bun.file(join(root, page)).text()).split('\n').filter((line) => !line.startsWith('|'));

  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
