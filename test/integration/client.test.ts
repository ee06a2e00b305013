/** The client beyond the contract of every store: its errors, and where it runs. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import { catchCodeAndMessage } from '../support/catch-code-and-message.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, type Service, startService } from '../support/service.ts';

describe('createClient', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test('throws typed errors for refused requests', async () => {
    const client = createClient(service.url);

    expect(await catchCodeAndMessage(client.get(999))).toEqual(['not_found', 'Note with ID 999 not found']);
    expect(await catchCodeAndMessage(client.create(createDraft({ title: '' })))).toEqual([
      'invalid',
      'Invalid title. Must be a non-empty string',
    ]);
    const { id } = await client.create(createDraft());
    expect(await catchCodeAndMessage(client.update(id, {}, ['x']))).toEqual([
      'conflict',
      `Note with ID ${id} has changed since it was read`,
    ]);
  });

  test('fetches a list again only when it has changed', async () => {
    const client = createClient(service.url);
    const note = await client.create(createDraft({ category: 'css' }));
    const first = await client.listIfChanged(undefined, { category: 'css' });

    const same = await client.listIfChanged(first?.entityTag, { category: 'css' });
    const updated = await client.update(note.id, { title: 'new' });
    const second = await client.listIfChanged(first?.entityTag, { category: 'css' });

    expect(same).toBeUndefined();
    expect([first?.notes, second?.notes]).toEqual([[note], [updated]]);
    expect(second?.entityTag).not.toBe(first?.entityTag);
  });

  test.each([
    ['HTML', 200, '<html>', 'unavailable'],
    ['other JSON', 200, '{"hello":1}', 'unavailable'],
    ['a proxy without a service', 502, 'Bad gateway', 'unreachable'],
  ])('rejects %s as an invalid answer', async (_, status, body, code) => {
    const client = createClient(service.url, { send: async () => new Response(body, { status }) });
    const expected = `The service answered ${status} with an unexpected body`;

    expect(await catchCodeAndMessage(client.list())).toEqual([code, expected]);
    expect(await catchCodeAndMessage(client.create(createDraft()))).toEqual([code, expected]);
  });

  test('says that a proxy refuses a body of this size, and that nothing was stored', async () => {
    await using proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      maxRequestBodySize: 1024 * 1024,
      fetch: () => new Response('never reached'),
    });

    const creating = createClient(proxy.url.href).create(createDraft({ content: 'x'.repeat(2 * 1024 * 1024) }));

    expect(await creating.catch((error) => error)).toMatchObject({
      code: 'invalid',
      outcome: 'none',
      retry: false,
      message: expect.stringContaining('A proxy in front of the service refuses request bodies of this size'),
    });
  });

  test('times out', async () => {
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const client = createClient(`http://127.0.0.1:${silent.port}`, { timeoutMs: 50 });

    expect((await catchCodeAndMessage(client.list()))[0]).toBe('unreachable');
    silent.stop(true);
  });

  test('keeps the path of its base address', async () => {
    const asked: string[] = [];
    const send = async (url: string) => {
      asked.push(url);
      return Response.json([]);
    };

    await createClient('https://example.org/apps/notes/', { send }).list({ category: 'css', archived: false });

    expect(asked).toEqual(['https://example.org/apps/notes/api/notes?category=css&archived=false']);
  });
});

async function bundle(folder: string, source: string): Promise<string> {
  const entry = join(folder, 'entry.ts');
  await Bun.write(
    entry,
    `import { createClient } from '${join(import.meta.dir, '../../src/client/client.ts')}';\n${source}`,
  );
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true });
  return (await outputs[0]?.text()) ?? '';
}

test('the bundled client has no dependencies, and runs in Node 20 as in browsers', async () => {
  using folder = createTemporaryFolder();
  await using service = await startService();
  const source = await bundle(
    folder.path,
    `const client = createClient('${service.url}');
    const note = await client.create({ title: 'é👍', content: 'c', category: 'css', group: 'first', color: 'info' });
    const updated = await client.update(note.id, { title: 'new' }, [note.updatedAt]);
    const conflict = await client.setArchived(note.id, true, [note.updatedAt]).catch((error) => error.code);
    const archived = await client.setArchived(note.id, true);
    const listed = await client.list({ archived: true });
    console.log(JSON.stringify([note.title, updated.title, conflict, archived.archived, listed.length]));`,
  );
  const program = join(folder.path, 'program.mjs');
  await Bun.write(program, source);

  const { stdout, stderr } = Bun.spawnSync(['node', program]);

  expect(source).not.toContain('node_modules');
  expect(source.length).toBeLessThan(6_500);
  expect([stderr.toString(), JSON.parse(stdout.toString())]).toEqual(['', ['é👍', 'new', 'conflict', true, 1]]);
});
