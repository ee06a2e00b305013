import { expect, test } from 'bun:test';
import { readText } from '../../../../test/fixtures/read.ts';

const message = (role: string, text: string) => ({
  author: { role },
  content: { content_type: 'text', parts: [text] },
});

/** A ChatGPT export of one conversation with these nodes. */
const createExport = (mapping: object, more: object = {}) => JSON.stringify([{ title: 'Tree', mapping, ...more }]);

test('citation marks become links', async () => {
  const mark = '\ue200cite\ue202turn0search1\ue201';
  const items = [{ title: 'Notes', url: 'https://acme.example' }];
  const metadata = { content_references: [{ matched_text: mark, type: 'grouped_webpages', items }] };
  const mapping = {
    a: { message: message('user', `What is ${mark}?`), children: ['b'] },
    b: { message: { ...message('assistant', `It is out ${mark}.`), metadata }, parent: 'a' },
  };

  const { notes } = await readText('c.json', createExport(mapping));

  expect(notes[0]?.content).toBe(
    `**You**\n\nWhat is ${mark}?\n\n**ChatGPT**\n\nIt is out ([Notes](https://acme.example)).`,
  );
});

test('texts in the canvas are texts', async () => {
  const call = (tool: string, value: unknown) => ({
    author: { role: 'assistant' },
    recipient: `canmore.${tool}`,
    content: {
      content_type: 'code',
      language: 'json',
      text: typeof value === 'string' ? value : JSON.stringify(value),
    },
  });
  const answer = {
    author: { role: 'tool', name: 'canmore.update_textdoc' },
    content: { content_type: 'text', parts: ['Updated'] },
    metadata: { canvas: { title: 'Run', textdoc_type: 'code/python' } },
  };
  const messages = [
    call('create_textdoc', { name: 'Plan', type: 'document', content: '# Plan\n\nStep one' }),
    call('create_textdoc', { name: 'Run', type: 'code/python', content: 'print(1)' }),
    call('update_textdoc', { updates: [{ pattern: '.*', multiple: false, replacement: 'print(2)' }] }),
    answer,
    call('comment_textdoc', { comments: [{ pattern: 'Step \\w+', comment: 'Which one?' }] }),
    call('create_textdoc', '{"name":"cut o'),
  ];
  const mapping = Object.fromEntries(messages.map((one, at) => [`n${at}`, { message: one, parent: `n${at - 1}` }]));

  const { notes } = await readText('c.json', createExport(mapping));

  expect(
    notes[0]?.content
      .split('\n\n*')
      .slice(1)
      .map((part) => `*${part}`),
  ).toEqual([
    '*Canvas: Plan*\n\n# Plan\n\nStep one',
    '*Canvas: Run*\n\n```python\nprint(1)\n```',
    '*Canvas: Run*\n\n```python\nprint(2)\n```',
    '*Tool canmore.update_textdoc*\n\nUpdated',
    '*Canvas: untitled*',
    '*At:*\n\n```\nStep \\w+\n```\n\nWhich one?',
    '*Tool canmore.create_textdoc*\n\n```json\n{"name":"cut o\n```',
  ]);
});

test('what was spoken is text', async () => {
  const parts = [
    { content_type: 'audio_transcription', text: 'spoken words', direction: 'in' },
    { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_1' },
    { content_type: 'real_time_user_audio_video_asset_pointer', frames_asset_pointers: [] },
  ];
  const content = { content_type: 'multimodal_text', parts };

  const { notes } = await readText('c.json', createExport({ a: { message: { author: { role: 'user' }, content } } }));

  expect(notes[0]?.content).toBe('**You**\n\nspoken words\n\n[Audio: file_1]\n\n[Audio and video]');
});

test('changes of a canvas that lack their last brackets are read', async () => {
  const text = '{"updates":[{"pattern":".*","multiple":false,"replacement":"print(2)"}';
  const content = { content_type: 'code', language: 'json', text };
  const call = { author: { role: 'assistant' }, recipient: 'canmore.update_textdoc', content };

  const { notes } = await readText('c.json', createExport({ a: { message: call } }));

  expect(notes[0]?.content).toBe('**ChatGPT**\n\n*Canvas: untitled*\n\nprint(2)');
});

test('the times are those of the conversation, or else of its messages', async () => {
  const mapping = {
    a: { message: { ...message('user', 'one'), create_time: 1_700_000_000 } },
    b: { message: { ...message('assistant', 'two'), create_time: 1_700_000_100.5 }, parent: 'a' },
  };

  const readings = await Promise.all([
    readText('c.json', createExport(mapping)),
    readText('c.json', createExport(mapping, { create_time: 1_600_000_000, update_time: 1_800_000_000 })),
  ]);

  expect(readings.map(({ notes: [note] }) => [note?.createdAt, note?.updatedAt])).toEqual([
    ['2023-11-14T22:13:20.000Z', '2023-11-14T22:15:00.500Z'],
    ['2020-09-13T12:26:40.000Z', '2027-01-15T08:00:00.000Z'],
  ]);
});
