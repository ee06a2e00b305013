/** `notes sync` from a shell: it imports only what has changed, and watches on request. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { session, sessionPath, write } from '../support/data/sources.ts';
import { eventually } from '../support/eventually.ts';
import { notesIn, program, startService, temporaryFolder } from '../support/service.ts';

function openFixture() {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
  const start = (...args: readonly string[]) =>
    Bun.spawn([...program, 'sync', ...args, '--db', path('notes.db')], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    });
  return {
    path,
    start,
    async sync(...args: readonly string[]) {
      const child = start(...args, '--json');
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, stderr, report: JSON.parse(stdout || '{}') };
    },
    /** The number of messages in each note, in order of id. */
    messages() {
      using db = new Database(path('notes.db'), { readonly: true });
      const rows = db.prepare<{ content: string }, []>('SELECT content FROM notes ORDER BY id').all();
      return rows.map(({ content }) => content.match(/Message/g)?.length ?? 0).join();
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('notes sync', () => {
  test('imports new and grown sessions and files, and nothing else', async () => {
    using files = openFixture();
    const [projects, vault] = [files.path('projects'), files.path('vault')];
    for (const n of [1, 2, 3]) write(sessionPath(projects, n), session(n));
    write(join(vault, 'a.md'), '# A\n\nFirst');

    const first = await files.sync(projects, vault);
    const idle = await files.sync(projects, vault);
    write(sessionPath(projects, 2), session(6));
    write(sessionPath(projects, 4), session(4));
    write(join(vault, 'a.md'), '# A\n\nSecond');
    rmSync(sessionPath(projects, 1));
    const last = await files.sync(projects, vault);

    expect(first).toMatchObject({ code: 0, report: { read: 4, added: 4 } });
    expect(idle).toMatchObject({ code: 0, report: { read: 0, added: 0 } });
    expect(idle.stderr).toContain('Read 0 notes from 0 changed files of 4');
    expect(last).toMatchObject({ code: 0, report: { read: 3, added: 1, updated: 2 } });
    expect(files.messages()).toBe('1,6,3,0,4');
  });

  test('a session that Codex has compressed since is the same note, also beside the plain file', async () => {
    using files = openFixture();
    const plain = files.path('sessions/2026/08/01/rollout-1.jsonl');
    const said = (role: string, text: string) => ({
      type: 'response_item',
      timestamp: '2026-08-01T08:00:00.000Z',
      payload: { type: 'message', role, content: [{ type: 'output_text', text }] },
    });
    const lines = [said('user', 'Message one'), said('assistant', 'Message two')].map((line) => JSON.stringify(line));
    write(plain, lines.join('\n'));

    const first = await files.sync(files.path('sessions'));
    write(`${plain}.zst`, Bun.zstdCompressSync(lines.join('\n')));
    const both = await files.sync(files.path('sessions'));
    rmSync(plain);
    const last = await files.sync(files.path('sessions'));

    expect(first).toMatchObject({ code: 0, report: { added: 1 } });
    expect(both).toMatchObject({ code: 0, report: { read: 1, added: 0, unchanged: 1 } });
    expect(last).toMatchObject({ code: 0, report: { read: 0, added: 0 } });
    expect(files.messages()).toBe('2');
  });

  test('in cron reports what is wrong once, a secret until it is dismissed, and counts each file once', async () => {
    using files = openFixture();
    const [projects, vault] = [files.path('projects'), files.path('vault')];
    const title = `${JSON.stringify({ type: 'custom-title', customTitle: 'T', sessionId: 's' })}\n`;
    const change = `${JSON.stringify({ type: 'file-history-snapshot', snapshot: {} })}\n`;
    write(sessionPath(projects, 1), `${change}${session(2)}`);
    write(sessionPath(projects, 2), `${change}${title}`);
    write(join(vault, 'a.md'), 'One');
    write(join(vault, 'b.md'), `Key: ${token}`);
    write(join(vault, 'c.txt'), 'No Markdown');
    write(join(vault, '.obsidian/app.json'), '{}');
    symlinkSync(join(vault, 'a.md'), join(vault, 'link.md'));
    const bad = join(vault, 'd.md');
    writeFileSync(bad, Buffer.from([0xff]));

    const first = await files.sync(projects, vault);
    const second = await files.sync(projects, vault);
    const [, hash = ''] = /--ignore ([\da-f]{12})/.exec(second.stderr) ?? [];
    const dismissed = await files.sync(projects, vault, '--ignore', hash);
    const idle = await files.sync(projects, vault);
    writeFileSync(bad, Buffer.from([0xff, 0xff]));
    const stillBad = await files.sync(projects, vault);
    write(bad, 'Two');
    const mended = await files.sync(projects, vault);
    write(join(vault, 'b.md'), `Key: ${token}, for tests`);
    const edited = await files.sync(projects, vault);

    expect(first).toMatchObject({ code: 1, report: { read: 2, added: 2, leftOut: 2, bad: 1, withheld: 1 } });
    expect(first.stderr).toContain('Read 6 records from 6 changed files of 7:');
    expect(second).toMatchObject({ code: 1, report: { read: 0, leftOut: 0, bad: 0, withheld: 1 } });
    expect(dismissed).toMatchObject({ code: 0, report: { read: 1, added: 1, bad: 0, withheld: 0 } });
    expect(idle).toMatchObject({ code: 0, stderr: 'Read 0 notes from 0 changed files of 7\n' });
    expect(stillBad).toMatchObject({ code: 1, report: { read: 0, bad: 1 } });
    expect(mended).toMatchObject({ code: 0, report: { read: 1, added: 1, bad: 0 } });
    expect(edited).toMatchObject({ code: 0, report: { read: 1, updated: 1, withheld: 0 } });
  });

  test('a source that is missing or in no known format is reported, and the others are imported', async () => {
    using files = openFixture();
    const [nowhere, projects, photo] = ['nowhere', 'projects', 'photo.png'].map(files.path) as [string, string, string];
    write(sessionPath(projects, 1), session(2));
    write(photo, '\x89PNG\0');

    const first = await files.sync(nowhere, projects, photo);
    const idle = await files.sync(nowhere, projects, photo);

    expect(first).toMatchObject({ code: 1, report: { added: 1 } });
    expect(idle).toMatchObject({ code: 1, report: { read: 0 } });
    expect(first.stderr).toContain(`notes: Cannot read ${nowhere}: there is no such file or folder\n`);
    expect(first.stderr).toContain(`notes: ${photo}: It is a binary file, which no format reads\n`);
  });

  test('--watch imports changed and new files until it is stopped, through a service too', async () => {
    using files = openFixture();
    const projects = files.path('projects');
    mkdirSync(projects);
    write(sessionPath(projects, 1), session(2));
    await using service = await startService({ DATABASE_URL: `sqlite:${files.path('notes.db')}` });
    const child = files.start(projects, '--watch', '--every', '1');
    const lengths = async () =>
      (await notesIn(fetch(`${service.url}/api/notes`))).map(({ content }) => content.match(/Message/g)?.length).join();

    expect(await eventually(async () => (await lengths()) === '2')).toBe(true);
    write(sessionPath(projects, 1), session(4));
    write(sessionPath(projects, 2), session(3));
    expect(await eventually(async () => (await lengths()) === '4,3')).toBe(true);
    child.kill('SIGINT');

    expect(await child.exited).toBe(130);
  });
});
