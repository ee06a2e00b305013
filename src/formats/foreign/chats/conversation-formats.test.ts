import { expect, test } from 'bun:test';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { createChatgptRecord } from './chatgpt.ts';
import { createClaudeRecord } from './claude.ts';

const message = (role: string, text: string) => ({
  author: { role },
  content: { content_type: 'text', parts: [text] },
});

/** A ChatGPT export of one linear conversation. */
function createChatgptExport(texts: readonly string[], more: object = {}): string {
  const mapping = Object.fromEntries(
    texts.map((text, at) => [
      `n${at}`,
      { id: `n${at}`, message: message('user', text), parent: `n${at - 1}`, children: [] },
    ]),
  );
  return JSON.stringify([{ title: '', mapping, current_node: `n${texts.length - 1}`, ...more }]);
}

test('ChatGPT: the displayed branch becomes a transcript, without the others, instructions and reasoning', async () => {
  const { format, notes } = await readFixture('chatgpt/conversations.json');

  expect(format).toBe('chatgpt');
  expect(notes[0]).toMatchObject({
    title: 'Regex für Zeiten ⏱',
    category: 'chat-tool',
    group: 'first',
    color: 'secondary',
    archived: false,
    createdAt: '2024-06-01T00:00:00.123Z',
    updatedAt: '2024-06-01T01:00:00.500Z',
  });
  expect(notes[0]?.content).toStartWith(
    '**You**\n\nMatch `hh:mm`\n\n**ChatGPT**\n\nUse this:\n\n```js\n/\\d\\d:\\d\\d/\n```\n\n**You**\n\n[Image: file-AbC123]\n\n' +
      "What is in it?\n\n[Attachment: clock.png]\n\n**ChatGPT**\n\n*Tool python*\n\n````python\nprint('```')\n````\n\n",
  );
  expect(notes[0]?.content).toEndWith("\n\nTwelve o'clock.");
  expect(notes[0]?.content).not.toMatch(/ABANDONED|SECRET|PRIVATE/);
  expect(notes[0]?.content).toContain(
    '```json\n{\n  "content_type": "hologram",\n  "shape": {\n    "sides": 12\n  }\n}\n```',
  );
});

test('ChatGPT: malformed conversations are read or reported, and affect no other', async () => {
  const { notes, rest } = await readFixture('chatgpt/conversations.json');

  expect(notes.slice(1).map(({ title, content, archived }) => [title, content, archived])).toEqual([
    ['Circle', '**You**\n\nround\n\n**ChatGPT**\n\nand round', false],
    ['First line of it', '**You**\n\nFirst line of it\nsecond', true],
    ['No current node', '**You**\n\nhello', false],
    ['Stray', '**You**\n\nhello', false],
  ]);
  expect(rest).toEqual([
    'bad | conversation 5 of chatgpt/conversations.json | Its field "mapping" is not there',
    'left out | conversation 7 of chatgpt/conversations.json | It has no text',
    'bad | conversation 8 of chatgpt/conversations.json | It is not a conversation: it has neither "mapping" (ChatGPT) nor "chat_messages" (Claude)',
  ]);
});

test('ChatGPT: a folder is read completely, split into several files or not', async () => {
  const { format, notes, rest } = await readFixture('chatgpt/split');

  expect(format).toBe('chatgpt');
  expect(notes.map(({ title }) => title)).toEqual(['One', 'Two']);
  expect(rest).toEqual(['left out | chatgpt/split | Files that this format does not read: chat.html, user.json']);
});

test('Claude: the last branch becomes a transcript with attachments, documents and shortened tools', async () => {
  const { format, notes } = await readFixture('claude/conversations.json');

  expect(format).toBe('claude');
  expect(notes[0]).toMatchObject({
    title: 'Parser für Zeilen',
    category: 'chat-tool',
    color: 'secondary',
    createdAt: '2025-10-01T18:42:27.303Z',
    updatedAt: '2025-10-01T19:00:00.000Z',
  });
  expect(notes[0]?.content).toStartWith(
    '**You**\n\nWrite a parser\n\n[Attachment: notes.txt]\n\n````\na\n```\nb\n````\n\n[File: photo.jpg]\n\n' +
      '**Claude**\n\nHere it is.\n\n*parser.py*\n\n```python\ndef parse():\n    pass\n```\n\n*Result*\n\n```\nOK\n```\n\n',
  );
  expect(notes[0]?.content).toContain('… (4012 more characters)\n```\n\n```json\n{\n  "type": "hologram",');
  expect(notes[0]?.content).not.toMatch(/ABANDONED|PRIVATE/);
  expect(notes[0]?.content).toEndWith('**You**\n\nThanks 🙏');
});

test('Claude: an export of 2023, without blocks and parents, is read in file order', async () => {
  const { notes, rest } = await readFixture('claude/conversations.json');

  expect(notes[1]).toMatchObject({
    title: 'Old export',
    content: '**You**\n\nOld export\nwithout blocks\n\n**Claude**\n\nYes.',
    createdAt: '2023-09-06T20:20:00.123Z',
  });
  expect(rest).toEqual(['left out | conversation 3 of claude/conversations.json | It has no text']);
});

test('a conversation has its id as origin, and the time of its last change', () => {
  const mapping = { a: { message: message('user', 'one') } };
  const chatgpt = { conversation_id: 'c-1', title: 'One', mapping, update_time: 1_717_200_000 };
  const claude = {
    ...{ uuid: 'u-1', name: 'One', updated_at: '2026-01-01T00:00:00Z' },
    chat_messages: [{ uuid: 'a', sender: 'human', text: 'one' }],
  };

  const records = [createChatgptRecord('here', chatgpt, new Date()), createClaudeRecord('here', claude, new Date())];

  expect(records).toMatchObject([
    { origin: 'chatgpt:c-1', isDated: true },
    { origin: 'claude:u-1', isDated: true },
  ]);
});

test('a conversation without times, in a folder, gets those of its file', async () => {
  const changedAt = new Date('2020-02-02T02:02:02.000Z');

  const { notes } = await readText('conversations.json', createChatgptExport(['one']), changedAt);

  expect(notes[0]?.createdAt).toBe(changedAt.toISOString());
});

test('characters that stores reject are replaced, and a title is cut to 200 characters', async () => {
  const text = createChatgptExport(['a\0b\ud800'], { title: `${'🦊'.repeat(300)}` });

  const { notes } = await readText('conversations.json', text);

  expect(notes[0]?.content).toBe('**You**\n\na\ufffdb\ufffd');
  expect(notes[0]?.title).toBe('🦊'.repeat(200));
});

test('a text over 8 MiB is reported with its size', async () => {
  const { notes, rest } = await readText('conversations.json', createChatgptExport(['x'.repeat(9 * 2 ** 20), 'y']));

  expect(notes).toEqual([]);
  expect(rest).toEqual([
    'bad | conversation 1 of conversations.json | Its text has 9.0 MiB, a note at most 8 MiB. Split it first',
  ]);
});

test('a file that ends early keeps what came before', async () => {
  const text = createChatgptExport(['one']).replace(/\]$/, ',{"title":"tw');

  const { notes, rest } = await readText('conversations.json', text);

  expect(notes).toHaveLength(1);
  expect(rest).toEqual([
    'bad | conversations.json | The JSON array ended before it was complete. The part before it was read',
  ]);
});

test('a conversation by itself is read as a file, beside others in a folder, and in a list by name', async () => {
  const one = createChatgptExport(['words'], { title: 'One' }).slice(1, -1);
  const two = JSON.stringify({
    uuid: 'u',
    name: 'Two',
    chat_messages: [{ uuid: 'a', sender: 'human', text: 'words' }],
  });

  const readings = await Promise.all([
    readText('any name.json', one),
    readText('any name.json', `\ufeff \n${two}\n`),
    readText('any name.json', one, new Date()),
    readText('0190aaaa-1111-4222-8333-444455556666.json', two, new Date()),
    readText('any name.json', `{"conversations": [${one}, ${one}]}`),
  ]);

  expect(readings.map(({ format, notes, rest }) => [format, ...notes.map(({ title }) => title), ...rest])).toEqual([
    ['chatgpt', 'One'],
    ['claude', 'Two'],
    ['mixed', 'One'],
    ['editor-chats', 'Two'],
    ['chatgpt', 'One', 'One'],
  ]);
});
