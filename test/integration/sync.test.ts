/** `notes sync` from a shell: it imports only what has changed, and watches on request. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from '../support/data/secrets.ts';
import { createClaudeSession, getNthClaudeSessionPath, writeFileAndFolders } from '../support/data/sources.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createTemporaryFolder, program, readNotesBody, startService } from '../support/service.ts';

function openFixture() {
  const folder = createTemporaryFolder();
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
    for (const n of [1, 2, 3]) writeFileAndFolders(getNthClaudeSessionPath(projects, n), createClaudeSession(n));
    writeFileAndFolders(join(vault, 'a.md'), '# A\n\nFirst');

    const first = await files.sync(projects, vault);
    const idle = await files.sync(projects, vault);
    writeFileAndFolders(getNthClaudeSessionPath(projects, 2), createClaudeSession(6));
    writeFileAndFolders(getNthClaudeSessionPath(projects, 4), createClaudeSession(4));
    writeFileAndFolders(join(vault, 'a.md'), '# A\n\nSecond');
    rmSync(getNthClaudeSessionPath(projects, 1));
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
    writeFileAndFolders(plain, lines.join('\n'));

    const first = await files.sync(files.path('sessions'));
    writeFileAndFolders(`${plain}.zst`, Bun.zstdCompressSync(lines.join('\n')));
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
    writeFileAndFolders(getNthClaudeSessionPath(projects, 1), `${change}${createClaudeSession(2)}`);
    writeFileAndFolders(getNthClaudeSessionPath(projects, 2), `${change}${title}`);
    writeFileAndFolders(join(vault, 'a.md'), 'One');
    writeFileAndFolders(join(vault, 'b.md'), `Key: ${token}`);
    writeFileAndFolders(join(vault, 'c.txt'), 'No Markdown');
    writeFileAndFolders(join(vault, '.obsidian/app.json'), '{}');
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
    writeFileAndFolders(bad, 'Two');
    const mended = await files.sync(projects, vault);
    writeFileAndFolders(join(vault, 'b.md'), `Key: ${token}, for tests`);
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
    writeFileAndFolders(getNthClaudeSessionPath(projects, 1), createClaudeSession(2));
    writeFileAndFolders(photo, '\x89PNG\0');

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
    writeFileAndFolders(getNthClaudeSessionPath(projects, 1), createClaudeSession(2));
    await using service = await startService({ DATABASE_URL: `sqlite:${files.path('notes.db')}` });
    const child = files.start(projects, '--watch', '--every', '1');
    const lengths = async () =>
      (await readNotesBody(fetch(`${service.url}/api/notes`)))
        .map(({ content }) => content.match(/Message/g)?.length)
        .join();

    expect(await isEventuallyTrue(async () => (await lengths()) === '2')).toBe(true);
    writeFileAndFolders(getNthClaudeSessionPath(projects, 1), createClaudeSession(4));
    writeFileAndFolders(getNthClaudeSessionPath(projects, 2), createClaudeSession(3));
    expect(await isEventuallyTrue(async () => (await lengths()) === '4,3')).toBe(true);
    child.kill('SIGINT');

    expect(await child.exited).toBe(130);
  });
});
