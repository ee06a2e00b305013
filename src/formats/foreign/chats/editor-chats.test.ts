import { expect, test } from 'bun:test';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';

const session = 'claude-code/projects/-home-ada-notes/0f0e8a3c-2b1d-4c5e-9f60-718293a4b5c6.jsonl';

test('Claude Code: a session becomes one note, with tools shortened', async () => {
  const { format, notes } = await readFixture(session);

  expect(format).toBe('editor-chats');
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatchObject({
    title: 'Red test explained',
    category: 'editor-chats',
    group: 'first',
    color: 'accent',
    createdAt: '2026-01-15T10:14:00.000Z',
    updatedAt: '2026-01-15T10:17:00.000Z',
  });
  expect(notes[0]?.content.replace(/x{900,}/, 'xx')).toBe(
    '**You**\n\nWarum ist der Test rot? 🔴\n\n**Claude**\n\nI look.\n\n*Tool Bash*\n\n```sh\nbun test\n```\n\n' +
      '*Result*\n\n```\n1 fail\nxx\n… (4007 more characters)\n```\n\n' +
      'A clock is missing:\n\n```ts\nconst now = () => 0;\n```\n\n**You**\n\n[Image]\n\nLook\n\n' +
      '**Claude**\n\n```json\n{\n  "type": "hologram",\n  "sides": 12\n}\n```',
  );
});

test('Claude Code: damaged lines and lines outside of the conversation are reported', async () => {
  const { rest } = await readFixture(session);

  expect(rest).toEqual([
    `bad | line 5 of ${session} | Must be a JSON object`,
    `left out | ${session} | Lines that are not part of the conversation: 1 file-history-snapshot, 1 of the program itself, 1 of subagents`,
  ]);
});

test('Claude Code: each session in a folder becomes a note, and a title by the user has precedence', async () => {
  const { format, notes, rest } = await readFixture('claude-code');

  expect(format).toBe('editor-chats');
  expect(notes.map(({ title }) => title)).toEqual(['Red test explained', 'Given by me']);
  expect(rest.at(-1)).toEndWith('agent-32335b9b.jsonl | It has no messages, but other lines: 1 of subagents');
});

test('Claude Code: the summary of another session, contained in this one, does not become its title', async () => {
  const lines = [
    { type: 'user', uuid: 'a', sessionId: 's', message: { role: 'user', content: 'Mine' } },
    { type: 'summary', summary: 'Of another one', leafUuid: 'b' },
  ];

  const { notes } = await readText('chat.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

  expect(notes.map(({ title }) => title)).toEqual(['Mine']);
});

test('Codex: a session becomes one note, without context inserted by the program', async () => {
  const { format, notes, rest } = await readFixture('codex/sessions');

  expect(format).toBe('editor-chats');
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatchObject({
    title: 'List the files 📁',
    category: 'editor-chats',
    createdAt: '2026-02-03T09:00:00.000Z',
    updatedAt: '2026-02-03T09:01:00.000Z',
    content:
      '**You**\n\nList the files 📁\n\n**Codex**\n\n*Tool shell*\n\n```sh\nbash -lc ls\n```\n\n*Result*\n\n```\na.ts\nb.ts\n\n```\n\n' +
      '*Tool apply_patch*\n\n```\n*** Begin Patch\n```\n\n*Result*\n\n```\nDone\n```\n\nTwo files.',
  });
  expect(rest).toEqual([
    'left out | 2026/02/03/rollout-2026-02-03T09-00-00-019a.jsonl | ' +
      'Lines that are not part of the conversation: 1 session_meta, 2 of the program itself, 1 reasoning',
  ]);
});

test('Codex: a session of before September 2025, without envelopes, is read too', async () => {
  const { format, notes } = await readFixture('codex/rollout-2025-06-01-e0.jsonl');

  expect(format).toBe('editor-chats');
  expect(notes[0]).toMatchObject({
    title: 'Old rollout',
    content: '**You**\n\nOld rollout\n\n**Codex**\n\nRead all the same.\n\n*Tool local_shell*\n\n```sh\nls -l\n```',
    createdAt: '2025-06-01T09:00:00.000Z',
  });
});

const said = JSON.stringify({ sessionId: 's', type: 'user', message: { role: 'user', content: 'Hello 🔴' } });

test.each<[string, string | Uint8Array]>([
  ['within its text', `${said}\n${said.slice(0, 20)}`],
  ['within a character', Buffer.concat([Buffer.from(`${said}\n`), Buffer.from(said).subarray(0, -5)])],
])('a last line that is still being written waits for the next import: %s', async (_, text) => {
  const { notes, rest } = await readText('chat.jsonl', text);

  expect(notes.map(({ title }) => title)).toEqual(['Hello 🔴']);
  expect(rest).toEqual([
    'left out | line 2 of chat.jsonl | ' +
      'Its end is missing, as if the program were still writing it. The next import reads it',
  ]);
});

test('a last line without a line end is read, and a damaged line with one is bad', async () => {
  const whole = await readText('chat.jsonl', said);
  const damaged = await readText('chat.jsonl', `${said}\n${said.slice(0, 20)}\n`);

  expect(whole).toMatchObject({ notes: [{ title: 'Hello 🔴' }], rest: [] });
  expect(damaged.rest).toEqual(['bad | line 2 of chat.jsonl | Must be a JSON object']);
});
