import { expect, test } from 'bun:test';
import { readText } from '../../../../test/fixtures/read.ts';

test('words are kept, whether in the text or in the blocks, and texts that it wrote in files', async () => {
  const chat_messages = [
    {
      uuid: 'a',
      sender: 'human',
      text: '',
      content: [],
      attachments: [{ file_name: '', extracted_content: 'pasted' }],
    },
    { uuid: 'b', sender: 'assistant', text: 'only here', content: [{ type: 'tool_use', name: 'x', input: {} }] },
    { uuid: 'c', sender: 'human', text: '', content: [{ type: 'voice_note', title: 't', text: 'spoken' }] },
    {
      uuid: 'd',
      sender: 'assistant',
      text: 'private\n```\nThis block is not supported on your current device yet.\n```\nthoughts',
      content: [
        { type: 'thinking', thinking: 'private ' },
        { type: 'thinking', thinking: 'thoughts' },
        { type: 'tool_use', name: 'create_file', input: { path: 'doc/plan.md', file_text: '# Plan' } },
        { type: 'tool_use', name: 'str_replace', input: { path: 'doc/plan.md', old_str: 'Plan', new_str: 'The plan' } },
        { type: 'tool_use', name: 'artifacts', input: { command: 'update', id: 'art', old_str: 'x', new_str: 'y' } },
      ],
    },
    {
      uuid: 'e',
      sender: 'human',
      text: 'see',
      files: [{ file_uuid: 'f1', file_name: 'one.png' }],
      files_v2: [
        { file_uuid: 'f1', file_name: 'one.png' },
        { file_uuid: 'f2', file_name: 'two.pdf' },
      ],
    },
  ];

  const { notes } = await readText('c.json', JSON.stringify([{ uuid: 'u', name: 'Odd', chat_messages }]));

  expect(notes[0]?.content).toBe(
    [
      '**You**\n\n[Attachment]\n\n```\npasted\n```',
      '**Claude**\n\nonly here\n\n*Tool x*\n\n```json\n{}\n```',
      '**You**\n\nspoken',
      '**Claude**\n\n*doc/plan.md*\n\n```\n# Plan\n```\n\n*Changed in doc/plan.md*\n\n```\nThe plan\n```',
      '*Changed in art*\n\n```\ny\n```',
      '**You**\n\nsee\n\n[File: one.png]\n\n[File: two.pdf]',
    ].join('\n\n'),
  );
});

test('without times of its own a conversation has those of its messages', async () => {
  const chat_messages = [
    { uuid: 'a', sender: 'human', text: 'one', created_at: '2023-11-14T22:13:20Z' },
    { uuid: 'b', sender: 'assistant', text: 'two', created_at: '2023-11-14T22:15:00.500Z' },
  ];

  const { notes } = await readText('c.json', JSON.stringify([{ chat_messages }]));

  expect(notes[0]).toMatchObject({ createdAt: '2023-11-14T22:13:20.000Z', updatedAt: '2023-11-14T22:15:00.500Z' });
});
