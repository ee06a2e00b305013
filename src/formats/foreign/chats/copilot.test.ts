import { expect, test } from 'bun:test';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';

const events = 'session-state/5b0f4c1e-9d2a-4f6b-8c3d-1e2f3a4b5c6d/events.jsonl';

test('Copilot: a session of its command line is a note, titled as it is named', async () => {
  const { format, notes } = await readFixture('copilot/session-state');

  expect(format).toBe('editor-chats');
  expect(notes).toMatchObject([
    {
      title: 'Find the red test',
      category: 'editor-chats',
      createdAt: '2026-05-04T08:00:00.000Z',
      updatedAt: '2026-05-04T08:00:14.000Z',
      content:
        '**You**\n\nWarum ist der Test rot? 🔴\n\n[File: a.test.ts]\n\n**GitHub Copilot**\n\nI look.\n\n' +
        '*Tool bash*\n\n```sh\nbun test\n```\n\n*Result*\n\n```\n1 fail\n```\n\nA clock is missing.\n\n' +
        '**You**\n\nAdd it\n\n**GitHub Copilot**\n\nAdded.\n\n' +
        '*Tool edit*\n\n```json\n{"path":"a.ts"}\n```\n\n*Result*\n\n```\nNo such file\n```',
    },
  ]);
});

test('Copilot: damaged lines and what is not part of the conversation are reported', async () => {
  const { rest } = await readFixture(`copilot/${events}`);

  expect(rest).toEqual([
    `bad | line 11 of copilot/${events} | Must be a JSON object`,
    `left out | copilot/${events} | Lines that are not part of the conversation: 1 session.start, ` +
      '1 assistant.turn_start, 1 of the program itself, 1 of subagents, 1 session.future_event, ' +
      '1 session.snapshot_rewind, 2 withdrawn by a rewind',
  ]);
});

test('Copilot in VS Code: a transcript is a note, unless its chat is read', async () => {
  const { format, notes, rest } = await readFixture('copilot/workspaceStorage');

  expect(format).toBe('editor-chats');
  expect(notes.map(({ title, content }) => [title, content])).toEqual(
    ['Name this function', 'A name'].map((title) => [
      title,
      '**You**\n\nName this function\n\n**GitHub Copilot**\n\nCall it `reconcile`.',
    ]),
  );
  expect(rest.filter((line) => line.includes('It is a transcript of a chat that is read'))).toHaveLength(1);
});

test('Copilot: a file of events is recognised by its content', async () => {
  const start = { type: 'session.start', data: { sessionId: 'a' }, id: 'e1' };
  const prompt = { type: 'user.message', data: { content: 'Hello' }, id: 'e2' };

  const { format, notes } = await readText('log.jsonl', `${JSON.stringify(start)}\n${JSON.stringify(prompt)}\n`);

  expect(format).toBe('editor-chats');
  expect(notes.map(({ title }) => title)).toEqual(['Hello']);
});
