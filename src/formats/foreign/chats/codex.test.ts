import { expect, test } from 'bun:test';
import { readText } from '../../../../test/fixtures/read.ts';

const readSession = (...lines: readonly object[]) =>
  readText('rollout-1.jsonl', [meta, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));

const meta = { type: 'session_meta', payload: { id: 'a', history_mode: 'paginated' } };
const response = (role: string, ...texts: readonly string[]) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: texts.map((text) => ({ type: 'input_text', text })) },
});
const event = (type: string, message: string) => ({ type: 'event_msg', payload: { type, message } });
const item = (type: string, ...content: readonly object[]) => ({
  type: 'event_msg',
  payload: { type: 'item_completed', turn_id: '1', item: { type, id: 'i', content } },
});
const text = (value: string, type = 'text') => ({ type, text: value });
/** A prompt with a picture, as the model sees it. */
const look = {
  type: 'response_item',
  payload: {
    type: 'message',
    role: 'user',
    content: [text('<image name=[Image #1]>'), { type: 'input_image' }, text('</image>'), text('Look')],
  },
};
const asked = '**You**\n\nFix it\n\n**Codex**\n\nDone';

test('Codex: texts around a prompt that no item confirms are no turns', async () => {
  const { format, notes } = await readSession(
    response('user', '<new_tag>x</new_tag>'),
    response('user', '<new_tag>x</new_tag>\n\nFix it'),
    response('user', '# Heading\nFix it'),
    item('UserMessage', text('Fix it')),
    response('assistant', 'Done'),
  );

  expect(format).toBe('editor-chats');
  expect(notes.map(({ title, content }) => [title, content])).toEqual([['Fix it', asked]]);
});

test.each<[string, object]>([
  ['event', { type: 'user_message', message: 'Look', images: [], local_images: ['/tmp/a.png'] }],
  ['event without it', { type: 'user_message', message: 'Look' }],
  [
    'item',
    {
      type: 'item_completed',
      item: { type: 'UserMessage', content: [{ type: 'local_image', path: '/tmp/a.png' }, text('Look')] },
    },
  ],
])('Codex: a prompt with a picture is a turn once, with an %s', async (_, payload) => {
  const { notes } = await readSession(look, { type: 'event_msg', payload });

  expect(notes[0]?.content.split('\n\n').sort()).toEqual(['**You**', 'Look', '[Image]']);
});

test('Codex: empty texts are no turns', async () => {
  const { notes } = await readSession(
    response('user', ''),
    event('user_message', ''),
    response('assistant', '', 'Done'),
  );

  expect(notes[0]?.content).toBe('**Codex**\n\nDone');
});

test('Codex: words that only a response has are kept beside events', async () => {
  const { notes } = await readSession(
    response('user', 'Go on, please'),
    response('user', 'Go on'),
    event('user_message', 'Go on'),
  );

  expect(notes[0]?.content).toBe('**You**\n\nGo on, please\n\nGo on');
});

test('Codex: an answer that it shows in parts is kept whole, once', async () => {
  const whole = 'A plan:\n<proposed_plan>\nMove it\n</proposed_plan>';

  const { notes } = await readSession(
    item('UserMessage', text('Plan')),
    response('assistant', whole),
    item('AgentMessage', text('A plan:', 'Text')),
    { type: 'event_msg', payload: { type: 'item_completed', item: { type: 'Plan', id: 'p', text: 'Move it' } } },
  );

  expect(notes[0]?.content).toBe(`**You**\n\nPlan\n\n**Codex**\n\n${whole}`);
});

const inserted = [
  '<recommended_plugins>\nHere is a list\n</recommended_plugins>',
  '<skills_instructions>\n### Skills\n</skills_instructions>',
  '<app-context>\nThe desktop\n</app-context>',
  '<permissions instructions>x</permissions instructions>',
  '<environment_context>\n <cwd>/w</cwd>\n</environment_context>',
  '<user_instructions>\nx\n</user_instructions>',
  '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>',
  '# AGENTS.md instructions\n\n<INSTRUCTIONS>x</INSTRUCTIONS>\n<environment_context>y</environment_context>',
  '<turn_aborted>\nx\n</turn_aborted>',
  '<hook_prompt hook_run_id="1">x</hook_prompt>',
];

test.each(inserted.map((text) => [text.slice(0, 24).trim().replaceAll('\n', ' '), text]))(
  'Codex: no words of the user and no title: %s',
  async (_, insertedText) => {
    const { notes } = await readSession(
      response('user', insertedText),
      response('user', insertedText, 'Fix it'),
      response('assistant', 'Done'),
    );

    expect(notes.map(({ title, content }) => [title, content])).toEqual([['Fix it', asked]]);
  },
);

test.each<[string, object, string]>([
  ...['What is <app-context>x</app-context>?', '<environment_context> is what?', '<div>Mine</div>'].map(
    (words): [string, object, string] => [words, response('user', words), words],
  ),
  [
    'a request after open files',
    event('user_message', '# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nFix it\n'),
    'Fix it\n',
  ],
  [
    'a request with files',
    event('user_message', '# Files mentioned by the user:\n\n## a.log: /tmp/a.log\n\n## My request for Codex:\nFix it'),
    'Fix it\n\n[File: a.log]',
  ],
  [
    'pictures and skills',
    item('UserMessage', text('Look'), { type: 'local_image', path: '/tmp/a.png' }, { type: 'skill', name: 'draw' }),
    'Look\n\n[Image]\n\n[Skill: draw]',
  ],
  ['a picture as the model sees it', look, 'Look\n\n[Image]'],
  [
    'a shell command',
    response(
      'user',
      '<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\n</result>\n</user_shell_command>',
    ),
    '!ls\n\n*Result*\n\n```\n\nExit code: 0\n\n```',
  ],
])('Codex: the words of the user are kept: %s', async (_, line, words) => {
  const { notes } = await readSession(line);

  expect(notes[0]?.content).toBe(`**You**\n\n${words}`);
});

const jsonLines = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const session = jsonLines([meta, response('user', 'Fix it'), response('assistant', 'Done')]);

test.each<[string, Date | undefined]>([
  ['a file', undefined],
  ['in a folder', new Date(0)],
])('Codex: a session that was compressed after a week is read: %s', async (_, changedAt) => {
  const { format, notes } = await readText('rollout-1.jsonl.zst', Bun.zstdCompressSync(session), changedAt);

  expect(format).toBe('editor-chats');
  expect(notes.map(({ content }) => content)).toEqual([asked]);
});

test('Codex: a compressed session whose end is missing is damaged', async () => {
  const { notes, rest } = await readText(
    'rollout-1.jsonl.zst',
    Bun.zstdCompressSync(session).subarray(0, -3),
    new Date(0),
  );

  expect(notes).toEqual([]);
  expect(rest).toEqual([
    'bad | rollout-1.jsonl.zst | rollout-1.jsonl.zst is damaged: it cannot be unpacked. The part before it was read',
  ]);
});

test.each<[string, object]>([
  ['a thread of a subagent', { thread_source: 'subagent' }],
  ['spawned', { source: { subagent: { thread_spawn: { parent_thread_id: 'b', depth: 1 } } } }],
  ['a review', { source: { subagent: 'review' } }],
  ['of the program', { thread_source: 'memory_consolidation' }],
  ['internal', { source: { internal: 'memory_consolidation' } }],
])('Codex: a session that the user did not begin is left out: %s', async (_, origin) => {
  const first = { type: 'session_meta', payload: { id: 'c', ...origin } };

  const { notes, rest } = await readText('rollout-1.jsonl', jsonLines([first, meta, response('user', 'Find it')]));

  expect(notes).toEqual([]);
  expect(rest).toEqual(['left out | rollout-1.jsonl | It is a session of a subagent or of the program itself']);
});

test('Codex: a fork is a note of its own, with what it began with', async () => {
  const fork = { type: 'session_meta', payload: { id: 'b', forked_from_id: 'a', source: 'cli' } };

  const { notes } = await readText('rollout-2.jsonl', jsonLines([fork]) + session);

  expect(notes.map(({ content }) => content)).toEqual([asked]);
});

test.each<[string, Date | undefined]>([
  ['a file', undefined],
  ['in a folder', new Date(0)],
])('Codex: a session of before June 2025, one object, is read: %s', async (_, changedAt) => {
  const items = [response('user', 'Fix it'), response('assistant', 'Done')].map(({ payload }) => payload);
  const rollout = { session: { id: 'a', timestamp: '2025-05-01T10:00:00.000Z', instructions: '' }, items };

  const { format, notes } = await readText('rollout-2025-05-01-a.json', JSON.stringify(rollout, null, 2), changedAt);

  expect(format).toBe('editor-chats');
  expect(notes).toMatchObject([{ title: 'Fix it', content: asked, createdAt: '2025-05-01T10:00:00.000Z' }]);
});
