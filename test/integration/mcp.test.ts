/** The MCP server over standard input and output, and at /mcp, called by the SDK's own client. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type Prompt,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Note, NoteDraft } from '../../src/core/note.ts';
import { token } from '../support/data/secrets.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createTemporaryFolder,
  program,
  readNoteBody,
  runNotesCommand,
  type Service,
  startService,
} from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

type Transport = 'stdio' | 'http';

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly path: string;
  /** What the program wrote to standard error. */
  readonly talk: () => string;
}

interface Setup {
  readonly notes?: readonly Partial<NoteDraft>[];
  readonly mode?: 'read' | 'write';
  readonly allowsSecrets?: boolean;
  readonly options?: ClientOptions;
}

const modern: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };

async function keep(path: string, notes: readonly Partial<NoteDraft>[]): Promise<Note[]> {
  await using store = await openFile(path);
  return await Promise.all(notes.map((note) => store.create(createDraft(note))));
}

/** Stores the notes in a new file and connects a client to it. */
async function connect(
  transport: Transport,
  { notes = [], mode = 'read', allowsSecrets = false, options = {} }: Setup = {},
): Promise<Connected> {
  const resources = new AsyncDisposableStack();
  const path = join(resources.use(createTemporaryFolder()).path, 'notes.db');
  await keep(path, notes);
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const said: string[] = [];
  if (transport === 'http') {
    const secrets = allowsSecrets ? { MCP_SECRETS: 'allow' } : {};
    const service = resources.use(await startService({ DATABASE_URL: `sqlite:${path}`, MCP: mode, ...secrets }));
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url)));
  } else {
    const flags = [...(mode === 'write' ? ['--write'] : []), ...(allowsSecrets ? ['--allow-secrets'] : [])];
    const stdio = spawnMcp(['--db', path, ...flags]);
    stdio.stderr?.on('data', (chunk) => said.push(String(chunk)));
    await client.connect(stdio);
  }
  resources.defer(() => client.close());
  return { client, path, talk: () => said.join(''), [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function spawnMcp(args: readonly string[], env: Readonly<Record<string, string>> = {}): StdioClientTransport {
  const [command = '', ...rest] = program;
  return new StdioClientTransport({
    command,
    args: [...rest, 'mcp', ...args],
    env: { ...environment, ...env },
    stderr: 'pipe',
  });
}

/** The facts in an answer, which must be equal in the structured and the text content. */
function assertOkAndGetContent(result: CallToolResult) {
  expect(result.isError).toBeFalsy();
  const [block] = result.content;
  expect(block?.type === 'text' && JSON.parse(block.text)).toEqual(result.structuredContent);
  return result.structuredContent as Record<string, never>;
}

function assertErrorAndGetText(result: CallToolResult): string {
  expect(result.isError).toBe(true);
  const [block] = result.content;
  return block?.type === 'text' ? block.text : '';
}

async function allPrompts(client: Client): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await client.request({ method: 'prompts/list', params: cursor === undefined ? {} : { cursor } });
    expect(JSON.stringify(page).length).toBeLessThan(70_000);
    prompts.push(...page.prompts);
    cursor = page.nextCursor;
  }
  return prompts;
}

const readingTools = ['search', 'get', 'history'];

const seeds = [
  { title: 'Undo a commit', content: 'git reset --soft HEAD~1', category: 'bash-commands' },
  { title: 'Naïve Überschrift', content: `${'filler '.repeat(200)}the needle 🪡 is here ${'filler '.repeat(200)}` },
  { title: 'Review', content: 'Review this {{language}} code: {{ the-code }}', category: 'prompts', group: 'second' },
] as const;

describe.each([
  ['stdio', {}],
  ['stdio', modern],
  ['http', {}],
  ['http', modern],
] as const)('over %s with %p', (transport, options) => {
  test('notes are found, read and written, and their prompts filled in', async () => {
    await using connected = await connect(transport, { notes: seeds, mode: 'write', options });
    const { client } = connected;

    const { tools } = await client.listTools();
    const found = assertOkAndGetContent(await client.callTool({ name: 'search', arguments: { query: 'needle' } }));
    const read = assertOkAndGetContent(await client.callTool({ name: 'get', arguments: { id: 1 } }));
    const created = assertOkAndGetContent(
      await client.callTool({ name: 'create', arguments: createDraft({ title: 'ünï 🪡' }) }),
    );
    const prompt = await client.getPrompt({ name: 'review-3', arguments: { language: 'Go', 'the-code': '$& {{x}}' } });

    expect(tools.map(({ name }) => name)).toEqual([...readingTools, 'create', 'update', 'archive', 'revert']);
    expect(tools.every(({ annotations }) => annotations?.openWorldHint === false)).toBe(true);
    expect(tools.flatMap(({ name, annotations }) => (annotations?.destructiveHint ? [name] : []))).toEqual([
      'update',
      'revert',
    ]);
    expect(tools.every(({ outputSchema }) => outputSchema?.['type'] === 'object')).toBe(true);
    expect(client.getInstructions()).toContain('data');
    expect(client.getServerCapabilities()?.prompts?.listChanged).toBe(transport === 'stdio');
    expect(found).toMatchObject({ total: 1, truncated: false, notes: [{ id: 2, title: 'Naïve Überschrift' }] });
    expect(JSON.stringify(found)).toContain('the needle 🪡 is here');
    expect(JSON.stringify(found).length).toBeLessThan(800);
    expect(read).toMatchObject({ note: { id: 1, content: 'git reset --soft HEAD~1', archived: false }, length: 23 });
    expect(created).toMatchObject({ note: { id: 4, title: 'ünï 🪡', archived: false } });
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Review this Go code: $& {{x}}' } },
    ]);
    expect(connected.talk()).toBe('');
  });
});

const refusedBy = (asked: Promise<unknown>): Promise<string> => asked.then(String, String);

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  test('search filters, omits archived notes by default, and returns the newest first', async () => {
    await using connected = await connect(transport, { notes: seeds, mode: 'write' });
    const search = async (args: Record<string, unknown>) =>
      assertOkAndGetContent(await connected.client.callTool({ name: 'search', arguments: args }));
    await connected.client.callTool({ name: 'archive', arguments: { id: 1 } });

    expect(await search({})).toMatchObject({ total: 2, notes: [{ id: 3 }, { id: 2 }] });
    expect(await search({ archived: true })).toMatchObject({ total: 1, notes: [{ id: 1, archived: true }] });
    expect(await search({ category: 'prompts', group: 'second' })).toMatchObject({ total: 1, notes: [{ id: 3 }] });
    expect(await search({ limit: 1 })).toMatchObject({ total: 2, truncated: true, notes: [{ id: 3 }] });
    expect(await search({ query: 'uberschrift' })).toMatchObject({ total: 1, notes: [{ id: 2 }] });
    expect(await search({ query: 'neddle' })).toMatchObject({ total: 1, notes: [{ id: 2 }] });
    await runNotesCommand(['labels', 'second=At home', 'prompts=My Questions', '--db', connected.path]);
    expect(await search({ group: 'at home' })).toMatchObject({ total: 1, notes: [{ id: 3 }] });
    expect(await search({ query: 'g:at-home review' })).toMatchObject({ total: 1, notes: [{ id: 3 }] });
    expect(await search({ category: 'my questions' })).toMatchObject({ total: 1, notes: [{ id: 3 }] });
    expect(await search({ query: 'nowhere' })).toEqual({ total: 0, truncated: false, notes: [] } as never);
  });
});

describe('the tools and prompts', () => {
  test('a note is created and changed in a group and a category given by label or by value', async () => {
    await using connected = await connect('stdio', { notes: seeds, mode: 'write' });
    const { client, path } = connected;
    await runNotesCommand(['labels', 'second=At home', 'css=Styles', '--db', path]);

    const created = assertOkAndGetContent(
      await client.callTool({ name: 'create', arguments: { ...createDraft(), category: 'styles', group: 'at home' } }),
    );
    const { note } = assertOkAndGetContent(await client.callTool({ name: 'get', arguments: { id: 1 } })) as unknown as {
      note: Note;
    };
    const to = (group: unknown) =>
      client.callTool({ name: 'update', arguments: { id: 1, updatedAt: note.updatedAt, group } });

    expect(created).toMatchObject({ note: { id: 4, category: 'css', group: 'second' } });
    for (const group of ['nowhere', 2]) {
      expect(assertErrorAndGetText(await to(group))).toContain('Invalid group. Must be one of: first, second');
    }
    expect(assertOkAndGetContent(await to('AT HOME'))).toMatchObject({ note: { id: 1, group: 'second' } });
  });

  test('a write reports its effect, and refuses a note that has changed since it was read', async () => {
    await using connected = await connect('stdio', { notes: seeds, mode: 'write' });
    const { client } = connected;
    const { note } = assertOkAndGetContent(await client.callTool({ name: 'get', arguments: { id: 1 } })) as unknown as {
      note: Note;
    };
    const update = { id: 1, updatedAt: note.updatedAt, title: 'New' };

    const changed = assertOkAndGetContent(await client.callTool({ name: 'update', arguments: update }));
    const conflict = assertErrorAndGetText(
      await client.callTool({ name: 'update', arguments: { ...update, title: 'Late' } }),
    );
    const empty = assertErrorAndGetText(
      await client.callTool({ name: 'update', arguments: { id: 1, updatedAt: note.updatedAt } }),
    );
    const archived = assertOkAndGetContent(await client.callTool({ name: 'archive', arguments: { id: 1 } }));
    const back = assertOkAndGetContent(
      await client.callTool({ name: 'archive', arguments: { id: 1, archived: false } }),
    );
    const after = assertOkAndGetContent(await client.callTool({ name: 'get', arguments: { id: 1 } }));

    expect(changed).toMatchObject({ note: { title: 'New', category: 'bash-commands' } });
    expect(conflict).toContain(
      'Note with ID 1 has changed since it was read. Nothing was changed. Read the note again with get',
    );
    expect(empty).toContain('at least one field');
    expect([archived, back]).toMatchObject([{ note: { archived: true } }, { note: { archived: false } }]);
    expect(after).toMatchObject({ note: { title: 'New', content: note.content, archived: false } });
  });

  test('an update reports the replaced version, which can be listed, read and restored', async () => {
    await using connected = await connect('stdio', { notes: seeds, mode: 'write' });
    const call = async (name: string, args: Record<string, unknown>) =>
      assertOkAndGetContent(await connected.client.callTool({ name, arguments: { id: 1, ...args } })) as Record<
        string,
        unknown
      >;
    const { note } = (await call('get', {})) as { note: Note };
    const content = 'b\r\n'.repeat(40_000);

    const first = await call('update', { updatedAt: note.updatedAt, content });
    const { updatedAt } = (await call('update', { updatedAt: (first['note'] as Note).updatedAt, title: 'New' }))[
      'note'
    ] as Note;
    const listed = await call('history', {});
    const old = await call('get', { version: first['replaced'] });
    const end = await call('get', { version: (first['note'] as Note).updatedAt, offset: 119_990 });
    const reverted = await call('revert', { updatedAt, version: first['replaced'] });

    expect(first['replaced']).toBe(note.updatedAt);
    expect(listed).toEqual({
      versions: [
        { version: (first['note'] as Note).updatedAt, title: note.title, length: 120_000, changed: ['title'] },
        { version: note.updatedAt, title: note.title, length: note.content.length, changed: ['content'] },
      ],
      truncated: false,
    });
    expect(await call('history', { limit: 1 })).toMatchObject({ versions: [{ length: 120_000 }], truncated: true });
    expect(old['note']).toEqual(note);
    expect(end).toMatchObject({ note: { content: content.slice(119_990) }, offset: 119_990, length: 120_000 });
    expect(reverted).toMatchObject({ note: { title: note.title }, replaced: updatedAt });
    expect(await call('get', {})).toMatchObject({ note: { content: note.content } });
    const arguments_ = { id: 1, updatedAt, version: note.updatedAt };
    const late = assertErrorAndGetText(await connected.client.callTool({ name: 'revert', arguments: arguments_ }));
    const none = { ...arguments_, version: '2020-01-01T00:00:00.000Z' };
    const unknown = assertErrorAndGetText(await connected.client.callTool({ name: 'revert', arguments: none }));
    expect([late, unknown]).toEqual([
      expect.stringContaining('has changed since it was read'),
      expect.stringContaining('has no such version in its history'),
    ]);
  });

  test('wrong arguments and missing notes are answered with advice, never with a stack trace', async () => {
    await using connected = await connect('stdio', { mode: 'write' });
    const call = (name: string, args: Record<string, unknown>) =>
      connected.client.callTool({ name, arguments: args }).then(assertErrorAndGetText);

    const answers = [
      await call('get', { id: 7 }),
      await call('create', { ...createDraft(), category: 'x' }),
      await call('create', { ...createDraft(), content: 'a\0' }),
      await call('search', { group: 'play' }),
    ];

    expect(answers).toEqual([
      'Note with ID 7 not found. Use search to find the ids of notes.',
      expect.stringContaining('Invalid category. Must be one of: css'),
      expect.stringContaining('Invalid content. Must not contain NUL'),
      expect.stringContaining('Invalid group. Must be one of: first, second'),
    ]);
    expect(answers.join()).not.toMatch(/ {4}at |\.ts/);
    expect(await refusedBy(connected.client.callTool({ name: 'remove', arguments: {} }))).toContain('remove not found');
  });

  test('a long content comes in bounded parts that make up the whole', async () => {
    const content = `a${'🪡'.repeat(30_000)}${'🪡a"\n\u0001'.repeat(40_000)}`;
    await using connected = await connect('stdio', { notes: [{ content, title: 't'.repeat(5_000) }] });
    const parts: string[] = [];

    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const result: CallToolResult = await connected.client.callTool({ name: 'get', arguments: { id: 1, offset } });
      const facts = assertOkAndGetContent(result) as unknown as { note: Note; length: number; nextOffset?: number };
      expect(JSON.stringify(facts).length).toBeLessThanOrEqual(60_000);
      expect(facts).toMatchObject({ length: content.length, note: { title: `${'t'.repeat(1_000)}…` } });
      parts.push(facts.note.content);
      offset = facts.nextOffset;
    }

    expect(parts.join('')).toBe(content);
    expect(parts.every((text) => text.isWellFormed())).toBe(true);
  });

  test('a search that finds a thousand notes returns only as many as asked for, shortened', async () => {
    const notes = Array.from({ length: 1_000 }, (_, i) => ({
      title: `${i} ${'\u0001"'.repeat(300)}`,
      content: '\u0001'.repeat(400),
    }));
    await using connected = await connect('stdio', { notes });

    const facts = assertOkAndGetContent(await connected.client.callTool({ name: 'search', arguments: { limit: 50 } }));

    expect(facts).toMatchObject({ total: 1_000, truncated: true });
    expect(JSON.stringify(facts).length).toBeLessThan(61_000);
    expect((facts['notes'] as unknown as Note[])[0]).toMatchObject({ id: 1_000 });
  });

  test('the prompts are the active notes in prompts, page by page, the newest first', async () => {
    const notes = Array.from({ length: 1_000 }, (_, i) => ({
      title: `Prompt ${i}`,
      content: `{{name}} ${i} ${'x'.repeat(200)}`,
      category: 'prompts' as const,
    }));
    await using connected = await connect('stdio', { notes: [...notes, ...seeds, { title: '日本' }], mode: 'write' });
    await connected.client.callTool({ name: 'archive', arguments: { id: 1 } });

    const prompts = await allPrompts(connected.client);

    expect(prompts).toHaveLength(1_000);
    expect(prompts[0]).toEqual({
      name: 'review-1003',
      title: 'Review',
      description: 'Review this {{language}} code: {{ the-code }}',
      arguments: [
        { name: 'language', required: true },
        { name: 'the-code', required: true },
      ],
    });
    expect(prompts.at(-1)).toMatchObject({ name: 'prompt-1-2', title: 'Prompt 1' });
    expect(new Set(prompts.map(({ name }) => name)).size).toBe(1_000);
  });

  test('a prompt is found by its id after a change of title, and not once it is no prompt', async () => {
    const notes = [...seeds, { title: '日本 {{x}}', category: 'prompts' as const, content: '値: {{名前}} {{名前}}' }];
    await using connected = await connect('stdio', { notes });
    const { client } = connected;
    const get = (name: string, args: Record<string, string> = {}) => client.getPrompt({ name, arguments: args });

    const { prompts } = await client.listPrompts();
    const filled = await get('another-title-4', { 名前: '空' });

    expect(prompts.map(({ name }) => name)).toEqual(['x-4', 'review-3']);
    expect(filled.messages[0]?.content).toEqual({ type: 'text', text: '値: 空 空' });
    expect(await refusedBy(get('review-3', { language: 'Go' }))).toContain('Missing arguments: the-code');
    expect(await refusedBy(get('undo-a-commit-1'))).toContain('There is no prompt undo-a-commit-1');
    expect(await refusedBy(get('review-99'))).toContain('There is no prompt review-99');
    expect(await refusedBy(get('review'))).toContain('There is no prompt review');
    expect(await refusedBy(client.request({ method: 'prompts/list', params: { cursor: 'x' } }))).toContain('cursor');
  });

  test('defaults and choices are optional arguments', async () => {
    const content = '{{who}} {{tone=dry|warm}} {{size=small}}';
    await using connected = await connect('stdio', { notes: [{ content, category: 'prompts', title: 'Letter' }] });
    const { client } = connected;
    const get = async (given: Record<string, string>) =>
      (await client.getPrompt({ name: 'letter-1', arguments: given })).messages[0]?.content;

    const { prompts } = await client.listPrompts();

    expect(prompts[0]?.arguments).toEqual([
      { name: 'who', required: true },
      { name: 'tone', required: false, description: 'One of: dry, warm. Default: dry' },
      { name: 'size', required: false, description: 'Default: small' },
    ]);
    expect(await get({ who: '' })).toEqual({ type: 'text', text: ' dry small' });
    expect(await get({ who: 'Ann', tone: 'warm', size: '' })).toEqual({ type: 'text', text: 'Ann warm small' });
    expect(await refusedBy(get({ who: 'Ann', tone: 'loud' }))).toContain('Invalid tone. Must be one of: dry, warm');
  });
});

describe('over stdio', () => {
  test('read-only mode has no tools that write', async () => {
    await using connected = await connect('stdio');
    const { client } = connected;

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(readingTools);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(await refusedBy(client.callTool({ name: 'create', arguments: createDraft() }))).toContain('create');
  });

  test('the file is open only for a moment, and a service that starts later is used automatically', async () => {
    await using connected = await connect('stdio', { notes: seeds, mode: 'write' });
    const { client, path } = connected;
    await client.callTool({ name: 'get', arguments: { id: 1 } });

    await using service = await eventuallyStarted(path);
    await client.callTool({ name: 'create', arguments: createDraft({ title: 'Through the service' }) });
    const seen = await readNoteBody(fetch(`${service.url}/api/notes/4`));
    await service.stop();
    const isBack = await isEventuallyTrue(
      async () => !(await client.callTool({ name: 'get', arguments: { id: 4 } })).isError,
    );
    const read = await client.callTool({ name: 'get', arguments: { id: 4 } });

    expect(seen.title).toBe('Through the service');
    expect(isBack).toBe(true);
    expect(assertOkAndGetContent(read)['note']).toEqual(seen as never);
  });

  test('a subscribed client is notified when the prompts may have changed', async () => {
    const notified = Promise.withResolvers<readonly string[]>();
    const onChanged = (_: Error | null, prompts: readonly Prompt[] | null) =>
      notified.resolve((prompts ?? []).map(({ name }) => name));
    const options: ClientOptions = { listChanged: { prompts: { onChanged } } };
    await using connected = await connect('stdio', { mode: 'write', options });
    const { client } = connected;

    await client.callTool({ name: 'create', arguments: createDraft({ title: 'Ask twice', category: 'prompts' }) });

    expect(await notified.promise).toEqual(['ask-twice-1']);
  });

  test.each([
    ['the client closes its end', (child: Spawned): unknown => child.stdin.end()],
    ['SIGTERM arrives', (child: Spawned): unknown => child.kill('SIGTERM')],
  ] as const)('ends when %s, and leaves an intact file', async (_, end) => {
    using folder = createTemporaryFolder();
    const path = join(folder.path, 'notes.db');
    const child = spawnPiped(['--db', path, '--write']);
    const lines = child.stdout.getReader();
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await lines.read();
    child.stdin.write(`${JSON.stringify(calling('create', createDraft()))}\n`);
    await lines.read();

    end(child);

    expect(await child.exited).toBe(0);
    expect(await child.stderr.text()).toBe('');
    await using store = await openFile(path);
    expect(await store.list()).toHaveLength(1);
  });

  test('an unreachable service is reported, and tried again later', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(spawnMcp([], { NOTES_URL: 'http://127.0.0.1:1' }));

    const refused = assertErrorAndGetText(await client.callTool({ name: 'get', arguments: { id: 1 } }));
    await client.close();

    expect(refused).toStartWith('No notes service answers at http://127.0.0.1:1. Ask the user to start');
  });
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
};

const calling = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
});

type Spawned = ReturnType<typeof spawnPiped>;

function spawnPiped(args: readonly string[]) {
  return Bun.spawn([...program, 'mcp', ...args], { env: environment, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
}

/** Starts a service on a file that other programs open for moments. */
async function eventuallyStarted(path: string): Promise<Service> {
  for (;;) {
    try {
      return await startService({ DATABASE_URL: `sqlite:${path}` });
    } catch (error) {
      expect(String(error)).toContain('in use');
    }
  }
}

describe.each(['stdio', 'http'] as const)('a note that seems to hold a secret, over %s', (transport) => {
  const notes = [
    { title: 'Deploy plan', content: `export GITHUB_TOKEN=${token}` },
    { title: 'Deploy prompt', content: `Use ${token}`, category: 'prompts' },
    { title: 'Deploy day', content: 'Friday' },
  ] as const;

  test('is omitted from every answer, which says how many were', async () => {
    await using setup = await connect(transport, { notes, mode: 'write' });
    const { client } = setup;
    const call = (name: string, args: object) =>
      client.callTool({ name, arguments: { ...args } }) as Promise<CallToolResult>;

    const found = await call('search', { query: 'deploy' });
    const [got, archived] = await Promise.all([call('get', { id: 1 }), call('archive', { id: 1 })]);
    const prompts = await client.request({ method: 'prompts/list', params: {} });
    const prompt = client.getPrompt({ name: 'deploy-prompt-2' });

    expect(assertOkAndGetContent(found)).toMatchObject({ notes: [{ id: 3 }], total: 3, withheld: 2 });
    for (const refused of [got, archived]) {
      expect(assertErrorAndGetText(refused)).toStartWith('Note 1 is left out, as it seems to hold a GitHub token');
      expect(assertErrorAndGetText(refused)).toEndWith('and MCP_SECRETS of notes serve.'); // no other arguments help
    }
    expect(prompts).toMatchObject({ prompts: [], _meta: { withheld: 1 } });
    await expect(prompt).rejects.toThrow('Note 2 is left out');
    expect(JSON.stringify([found, got, archived, prompts])).not.toContain(token);
  });

  test('is returned where MCP_SECRETS allows it', async () => {
    await using setup = await connect(transport, { notes, allowsSecrets: true });

    const found = (await setup.client.callTool({ name: 'search', arguments: { query: 'deploy' } })) as CallToolResult;
    const prompts = await allPrompts(setup.client);

    expect(assertOkAndGetContent(found)['notes']).toHaveLength(3);
    expect(Object.keys(assertOkAndGetContent(found))).not.toContain('withheld');
    expect(prompts).toHaveLength(1);
  });
});

test('an earlier version that seems to hold a secret is omitted, and counted', async () => {
  await using setup = await connect('stdio', { notes: [{ content: `Use ${token}` }], mode: 'write' });
  await runNotesCommand(['edit', '1', '-m', 'clean', '--db', setup.path]);
  const { stdout } = await runNotesCommand(['history', '1', '--json', '--db', setup.path]);
  const version = /"updatedAt":"([^"]+)"/.exec(stdout)?.[1];

  const history = (await setup.client.callTool({ name: 'history', arguments: { id: 1 } })) as CallToolResult;
  const got = (await setup.client.callTool({ name: 'get', arguments: { id: 1, version } })) as CallToolResult;

  expect(assertOkAndGetContent(history)).toEqual({ versions: [], truncated: false, withheld: 1 } as never);
  expect(assertErrorAndGetText(got)).toContain('Note 1 is left out');
});
