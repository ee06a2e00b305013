import { expect, test } from 'bun:test';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';

test('a chat of VS Code becomes one note, from one object and from a log of changes', async () => {
  const { format, notes } = await readFixture('vscode');

  expect(format).toBe('editor-chats');
  expect(notes.map(({ title, category, createdAt, updatedAt }) => [title, category, createdAt, updatedAt])).toEqual([
    ['Testing the API', 'editor-chats', '2026-01-02T09:58:20.000Z', '2026-01-02T10:00:00.000Z'],
    ['A name for it', 'editor-chats', '2026-02-18T09:00:00.000Z', '2026-02-18T09:01:00.000Z'],
  ]);
  expect(notes.map(({ content }) => content)).toEqual([
    '**You**\n\nWie prüfe ich das? 🧪\n\n**GitHub Copilot**\n\nSee the tests in `api.test.ts`, then run:\n\n' +
      '```sh\nbun test\n```\n\n\n*Tool copilot_runTests*\n\nRan 3 tests\n\n*Edited api.ts*\n\n' +
      '```json\n{\n  "kind": "hologram",\n  "sides": 12\n}\n```',
    '**You**\n\nName this function\n\n**GitHub Copilot**\n\nCall it `reconcile`.\n\n*The answer was cut off*',
  ]);
});

test('a change that does not fit is reported, and modifies no other object', async () => {
  const { rest } = await readFixture('vscode');

  expect(rest).toEqual([
    'bad | line 8 of workspaceStorage/5f1c/chatSessions/7d9e2b40-1c3a-4f5b-a6d7-0e8f9a1b2c3d.jsonl | It changes a value that does not exist',
  ]);
  expect('polluted' in {}).toBe(false);
});

test('the time of the last message counts where the log began with an earlier one', async () => {
  const v = { requests: [{ message: 'Hello' }], responderUsername: 'x', creationDate: 1e12, lastMessageDate: 1.1e12 };
  const change = { kind: 2, k: ['requests'], v: [{ message: 'Bye', timestamp: 1.2e12 }] };

  const { notes } = await readText(
    'chat.jsonl',
    [{ kind: 0, v }, change].map((line) => JSON.stringify(line)).join('\n'),
  );

  expect(notes[0]?.updatedAt).toBe(new Date(1.2e12).toISOString());
});
