/** Behavior of the single executable only: `NOTES_PROGRAM=dist/notes bun test test/compiled/`. */
import { expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../../src/page/build/build.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder, forEachLine, program, startService } from '../support/service.ts';

test('needs no other files, and reads no settings from its working directory', async () => {
  using folder = createTemporaryFolder();
  const copy = join(folder.path, 'notes');
  copyFileSync(program[0] ?? '', copy);
  writeFileSync(
    join(folder.path, '.env'),
    'PORT=1\nDATABASE_URL=postgres://nobody@127.0.0.1:1/nothing\nLOG_LEVEL=loud\n',
  );
  writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(folder.path, 'preload.ts'), 'throw new Error("loaded")\n');
  const env = { HOME: folder.path, PORT: '0' };

  const child = Bun.spawn([copy, 'serve'], { cwd: folder.path, env, stdout: 'pipe', stderr: 'inherit' });
  const { url, store } = await firstLine(child.stdout);
  const answer = await fetch(`${url}/api/notes`, createJsonRequest(createDraft()));
  child.kill();

  expect(store).toBe(`sqlite:${join(folder.path, '.local/share/notes/notes.db')}`);
  expect(answer.status).toBe(200);
  expect(await child.exited).toBe(0);
});

test('contains the built page, and the files of /docs', async () => {
  await using service = await startService();
  const files = await buildPage();

  for (const { path, type, bytes } of files) {
    const answer = await fetch(`${service.url}/${path}`);
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type]);
    expect(Buffer.compare(await answer.bytes(), bytes)).toBe(0);
  }
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    const answer = await fetch(`${service.url}/docs/${name}`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(
      await Bun.file(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)).text(),
    );
  }
});

test('writes a readable log on a terminal', async () => {
  let shown = '';
  const child = Bun.spawn([...program, 'serve'], {
    env: { PORT: '0', DATABASE_URL: 'sqlite::memory:', HOME: '/nonexistent' },
    terminal: {
      data: (_, chunk) => {
        shown += new TextDecoder().decode(chunk);
        if (shown.includes('listens at')) child.kill();
      },
    },
  });

  expect(await child.exited).toBe(0);
  expect(Bun.stripANSI(shown)).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Notes listens at http/);
});

/** The log line with the address of a service. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<{ url: string; store: string }> {
  const line = Promise.withResolvers<string>();
  void forEachLine(stream, line.resolve).then(() => line.reject(new Error('It said nothing')));
  return JSON.parse(await line.promise);
}

test('is installed over a running program, as README says', async () => {
  using folder = createTemporaryFolder();
  const readme = await Bun.file(join(import.meta.dir, '..', '..', 'README.md')).text();
  const [, command = ''] = /^npm run build && (mkdir .*)$/m.exec(readme) ?? [];
  const install = command.replace('dist/notes', program[0] ?? '');
  const env = { HOME: folder.path, PATH: process.env['PATH'] ?? '', PORT: '0' };
  Bun.spawnSync(['sh', '-ec', install], { env });
  const child = Bun.spawn([join(folder.path, '.local/bin/notes'), 'serve'], { env, stdout: 'pipe', stderr: 'inherit' });
  const { url } = await firstLine(child.stdout);

  const { exitCode, stderr } = Bun.spawnSync(['sh', '-ec', install], { env, stderr: 'pipe' });

  expect([exitCode, stderr.toString()]).toEqual([0, '']);
  expect((await fetch(`${url}/api/search?q=x`)).status).toBe(200);
  child.kill();
  expect(await child.exited).toBe(0);
});
