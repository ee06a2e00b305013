import { expect, test } from 'bun:test';
import { readText } from '../../../../test/fixtures/read.ts';

const readSession = (...lines: readonly object[]) =>
  readText(
    'chat.jsonl',
    [{ sessionId: 's', type: 'mode' }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''),
  );

const message =
  (type: string) =>
  (content: unknown, others: object = {}) => ({
    type,
    sessionId: 's',
    message: { role: type, content },
    ...others,
  });
const user = message('user');
const assistant = message('assistant');
const attachment = (prompt: unknown, others = {}) => ({
  type: 'attachment',
  attachment: { type: 'queued_command', commandMode: 'prompt', prompt, ...others },
});
const queue = (operation: string, content?: string, reason?: string) => ({
  type: 'queue-operation',
  operation,
  content,
  reason,
});
const enqueue = (text: string) => queue('enqueue', text);
const absorbed = (text: string) => queue('remove', text, 'absorbed_mid_turn');
const result = user([{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'OK' }] }]);
const image = { type: 'image', source: { type: 'base64', data: 'AA' } };

test.each<[string, readonly object[], string]>([
  ['with spacing that differs', [absorbed('a\n\nb '), attachment('a b')], 'a b'],
  ['with a picture', [absorbed('Look'), attachment([{ type: 'text', text: 'Look' }, image])], 'Look\n\n[Image]'],
  ['as a picture alone', [queue('remove', undefined, 'absorbed_mid_turn'), attachment([image])], '[Image]'],
  ['after a reminder', [absorbed('<system-reminder>\nx\n</system-reminder>\n\nNow')], 'Now'],
  ['and a different one, and again', [attachment('Now'), user('Then'), user('Now')], 'Now\n\nThen\n\nNow'],
])('Claude Code: a prompt typed while it works is a turn: %s', async (_, lines, texts) => {
  const { notes } = await readSession(user('Build'), assistant('Started'), ...lines, assistant('Done'));

  expect(notes[0]?.content).toBe(
    `**You**\n\nBuild\n\n**Claude**\n\nStarted\n\n**You**\n\n${texts}\n\n**Claude**\n\nDone`,
  );
});

test('Claude Code: a prompt taken up during a tool call stands after its result', async () => {
  const { notes } = await readSession(absorbed('Now'), result, attachment('Now'));

  expect(notes[0]?.content).toBe('**Claude**\n\n*Result*\n\n```\nOK\n```\n\n**You**\n\nNow');
});

test.each<[string, object]>([
  ['queued only', enqueue('Now')],
  ['taken from the queue, to be a message', queue('dequeue')],
  ['taken back into the editor', queue('popAll', 'Now')],
  ['a notice', attachment('<task-notification>x</task-notification>', { commandMode: 'task-notification' })],
  ['a notice by its origin', attachment('Task ended', { origin: { kind: 'task-notification' } })],
  ['a removed notice', absorbed('<task-notification>x</task-notification>')],
  ['another attachment', { type: 'attachment', attachment: { type: 'todo_reminder', content: 'Now' } }],
  ['a warning', user('<local-command-caveat>Do not answer</local-command-caveat>')],
  ['a command that Claude does not answer', user('<command-name>/clear</command-name>\n<command-args></command-args>')],
  [
    'the same as a system line',
    { type: 'system', subtype: 'local_command', content: '<command-name>/exit</command-name>' },
  ],
])('Claude Code: no turn and no title: %s', async (_, line) => {
  const { notes, rest } = await readSession(line, user('Build'), line);

  expect(notes.map(({ title, content }) => [title, content])).toEqual([['Build', '**You**\n\nBuild']]);
  expect(rest).toHaveLength(1);
});

const command = (name: string, args: string) =>
  `<command-message>${name} is running</command-message>\n<command-name>/${name}</command-name>\n` +
  `<command-args>${args}</command-args>`;

test.each<[string, unknown, string]>([
  ['a command with words', command('review', 'the <b>page</b>'), '/review the <b>page</b>'],
  ['arguments with its tag', command('fix', 'a </command-args> b'), '/fix a </command-args> b'],
  ['a command alone', command('init', ''), '/init'],
  ['a shell command', '<bash-input>a &lt; b &amp;&amp; c</bash-input>', '!a < b && c'],
  ['a memory', '<user-memory-input>Use tabs</user-memory-input>', '#Use tabs'],
  [
    'a text after an open file',
    ['<ide_opened_file>The user opened a.ts</ide_opened_file>', 'Explain'].map((text) => ({ type: 'text', text })),
    'Explain',
  ],
  [
    'a text after two blocks',
    '<system-reminder>\na\n</system-reminder>\n<ide_selection>b</ide_selection>\nExplain',
    'Explain',
  ],
  ...['What is <system-reminder>x</system-reminder>?', '<command-name> is what?', '<div>Mine</div>'].map(
    (words): [string, string, string] => [words, words, words],
  ),
  ['a picture', [image, { type: 'text', text: 'Look' }], '[Image]\n\nLook'],
])('Claude Code: the words of the user are kept: %s', async (_, content, text) => {
  const { notes } = await readSession(user(content), assistant('Done'));

  const [title = ''] = text.split('\n');
  expect(notes.map((note) => [note.title, note.content])).toEqual([
    [title, `**You**\n\n${text}\n\n**Claude**\n\nDone`],
  ]);
});

test('Claude Code: a command alone gives no title where there are words', async () => {
  const { notes } = await readSession(user(command('init', '')), assistant('Done'), user('Thanks'));

  expect(notes[0]?.title).toBe('Thanks');
});

test('Claude Code: output of a shell command is no words of the user', async () => {
  const output = '<bash-stdout>a &gt; b</bash-stdout><bash-stderr></bash-stderr>';

  const { notes } = await readSession(user('<bash-input>ls</bash-input>'), user(output));

  expect(notes[0]?.content).toBe('**You**\n\n!ls\n\n*Result*\n\n```\na > b\n```');
});

test('Claude Code: a summary after a compaction is not of the user', async () => {
  const { notes } = await readSession(user('This session is continued', { isCompactSummary: true }), user('Go on'));

  expect(notes[0]).toMatchObject({
    title: 'Go on',
    content: '**Summary**\n\nThis session is continued\n\n**You**\n\nGo on',
  });
});

test('Claude Code: the time of the last message is that of the session, not that of later lines', async () => {
  const at = (second: number) => ({ timestamp: `2026-05-01T10:00:0${second}.000Z` });

  const { notes } = await readSession(
    user('Build', at(1)),
    assistant('Done', at(3)),
    { ...attachment('Now'), ...at(2) },
    { type: 'last-prompt', sessionId: 's', lastPrompt: 'Now', ...at(9) },
  );

  expect(notes[0]).toMatchObject({ createdAt: '2026-05-01T10:00:01.000Z', updatedAt: '2026-05-01T10:00:03.000Z' });
});

/** A line in the tree of a session. */
const at = (uuid: string, parentUuid: string | null, line: object) => ({ ...line, uuid, parentUuid });
const contents = ({ notes }: Awaited<ReturnType<typeof readSession>>) => notes.map(({ content }) => content);

test('Claude Code: after a rewind the branch that ends last is the note, and the report says what was withdrawn', async () => {
  const reading = await readSession(
    at('a', null, user('Build')),
    at('b', 'a', assistant('Built')),
    at('m', 'b', user('note', { isMeta: true })),
    at('c', 'm', user('Wrong turn')),
    at('d', 'c', assistant('Lost')),
    at('e', 'b', user('Right turn')),
    at('f', 'e', assistant('Found')),
  );

  expect(contents(reading)).toEqual([
    '**You**\n\nBuild\n\n**Claude**\n\nBuilt\n\n**You**\n\nRight turn\n\n**Claude**\n\nFound',
  ]);
  expect(reading.rest[0]).toEndWith(
    'Lines that are not part of the conversation: 1 mode, 1 of the program itself, 2 withdrawn by a rewind',
  );
});

test('Claude Code: a branch that was begun first and continued last is the note', async () => {
  const reading = await readSession(
    at('a', null, assistant('Ready')),
    at('b', 'a', user('First')),
    at('c', 'a', user('Second')),
    at('d', 'c', assistant('Lost')),
    at('e', 'b', assistant('Found')),
  );

  expect(contents(reading)).toEqual(['**Claude**\n\nReady\n\n**You**\n\nFirst\n\n**Claude**\n\nFound']);
});

test('Claude Code: results of tools that run at once, and prompts without a place in the tree, are no branches', async () => {
  const call = (command: string) => assistant([{ type: 'tool_use', name: 'Bash', input: { command } }]);
  const done = (text: string) => user([{ type: 'tool_result', content: text }]);
  const reading = await readSession(
    at('a', null, user('Build')),
    at('b', 'a', call('one')),
    at('c', 'b', call('two')),
    at('d', 'b', done('first')),
    at('e', 'c', done('second')),
    at('f', 'e', user('Go on')),
    at('g', null, user('Go on')),
    user('Go on'),
  );

  const [content = ''] = contents(reading);
  for (const word of ['one', 'two', 'first', 'second']) expect(content).toContain(word);
  expect(content.match(/Go on/g)).toHaveLength(3);
});

test('Claude Code: a history that a host writes again with new ids is in the note once', async () => {
  const question = (uuid: string, parent: string | null) => at(uuid, parent, user('What is it?'));
  const answer = (uuid: string, parent: string) => at(uuid, parent, assistant('A garden'));
  const reading = await readSession(
    question('a', null),
    answer('b', 'a'),
    at('c', 'b', user('Withdrawn')),
    question('d', null),
    at('t', 'd', assistant([{ type: 'thinking', thinking: 'x' }])),
    answer('e', 'd'),
    at('f', 'e', user('How large?')),
    at('g', 'f', assistant('Small')),
  );

  expect(contents(reading)).toEqual([
    '**You**\n\nWhat is it?\n\n**Claude**\n\nA garden\n\n**You**\n\nHow large?\n\n**Claude**\n\nSmall',
  ]);
});

test('Claude Code: the output of the command line is a note, with each turn once', async () => {
  const line = (type: string, content: unknown, others = {}) => ({
    type,
    session_id: 's',
    parent_tool_use_id: null,
    message: { role: type, content },
    ...others,
  });
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's', tools: [] },
    { type: 'user', message: { role: 'user', content: 'Build' }, session_id: 's' },
    line('user', [{ type: 'text', text: 'Build' }], { isReplay: true }),
    line('assistant', [{ type: 'text', text: 'I look' }]),
    line('assistant', [{ type: 'text', text: 'Of a subagent' }], { parent_tool_use_id: 't' }),
    line('assistant', [{ type: 'text', text: 'Done' }]),
    { type: 'result', subtype: 'success', result: 'Done', session_id: 's' },
  ];

  const { format, notes } = await readText('out.jsonl', lines.map((one) => JSON.stringify(one)).join('\n'));

  expect(format).toBe('editor-chats');
  expect(notes.map(({ content }) => content)).toEqual(['**You**\n\nBuild\n\n**Claude**\n\nI look\n\nDone']);
});

test('Claude Code: a result alone, as of --output-format json, is a note', async () => {
  const { notes } = await readText('out.jsonl', JSON.stringify({ type: 'result', result: 'Paris', session_id: 's' }));

  expect(notes.map(({ content }) => content)).toEqual(['**Claude**\n\nParis']);
});
