/** The words of all messages that a program shows are in the note, once and in order, however the tree was cut. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ReadRecord } from '../../record.ts';
import { createChatgptRecord } from './chatgpt.ts';
import { createClaudeRecord } from './claude.ts';

/** A message of a generated conversation; its one word is `word<at>end`. */
interface Message {
  readonly at: number;
  /** The number of the message before it; of itself or a later one: a circle. */
  readonly parent: number | undefined;
  /**
   * How it names that: by its field, by the list of the other, by both through a node that is missing, or not at all.
   */
  readonly link: 'parent' | 'children' | 'bridge' | 'lost' | 'none';
  readonly isUser: boolean;
  readonly shape: number;
}

const createWord = (at: number) => `word${at}end`;
const findWordNumbers = (text: string) => (text.match(/word\d+end/g) ?? []).map((word) => Number(word.slice(4, -3)));
const createTime = (at: number) => 1_700_000_000 + at;

const link = fc.constantFrom<Message['link'][]>('parent', 'parent', 'parent', 'children', 'bridge', 'lost', 'none');
const createMessage = (at: number, parent: fc.Arbitrary<number | undefined>): fc.Arbitrary<Message> =>
  fc.record({ at: fc.constant(at), parent, link, isUser: fc.boolean(), shape: fc.nat(9) });

/** Each message follows the one before it. */
const chain = fc
  .integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, at) => createMessage(at, fc.constant(at === 0 ? undefined : at - 1))),
    ),
  );

/** Each message follows any. */
const graph = fc
  .integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, at) => createMessage(at, fc.option(fc.nat(count - 1), { nil: undefined }))),
    ),
  );

const file = fc.record({
  isTimed: fc.boolean(),
  order: fc.infiniteStream(fc.nat()).map((stream) => Array.from({ length: 12 }, () => stream.next().value)),
  current: fc.constantFrom('n0', 'n3', 'nowhere', '', undefined),
});
type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

/** Shuffles the messages if times tell their order. */
const inFile = (messages: readonly Message[], { isTimed, order }: File) =>
  isTimed ? messages.toSorted((one, other) => (order[one.at] ?? 0) - (order[other.at] ?? 0)) : messages;

function readAsChatgpt(messages: readonly Message[], shape: File): ReadRecord {
  const nodes = inFile(messages, shape).map(({ at, parent, link: how, isUser, shape: kind }) => {
    const children = messages
      .filter((other) => other.parent === at && ['children', 'bridge'].includes(other.link))
      .map((other) => (other.link === 'bridge' ? `p${other.at}` : `n${other.at}`));
    const named = { parent: `n${parent}`, bridge: `p${at}`, lost: `lost${at}`, children: null, none: undefined }[how];
    const message = {
      author: { role: isUser ? 'user' : 'assistant' },
      ...(shape.isTimed && { create_time: createTime(at) }),
      ...chatgptShapes[kind]?.(createWord(at)),
    };
    const node = { id: `n${at}`, parent: parent === undefined ? undefined : named, children, message };
    return [`n${at}`, children.length === 0 ? { ...node, children: undefined } : node];
  });
  return createChatgptRecord(
    'here',
    { title: 'T', mapping: Object.fromEntries(nodes), current_node: shape.current },
    new Date(),
  );
}

const chatgptShapes: readonly ((word: string) => object)[] = [
  (word) => ({ content: { content_type: 'text', parts: [word] } }),
  (word) => ({ content: { content_type: 'text', parts: ['\ue200cite\ue202turn0search1\ue201', word, ''] } }),
  (word) => ({ content: { content_type: 'text', parts: [`\ue200entity\ue202["a","${word}","b"]\ue201 \ue200cite`] } }),
  (word) => ({ content: { content_type: 'multimodal_text', parts: [{ asset_pointer: 'a' }, { text: word }] } }),
  (word) => ({ content: { content_type: 'code', language: 'unknown', text: word }, recipient: 'python' }),
  (word) => ({ content: { content_type: 'hologram', words: { deep: [word] } } }),
  (word) => ({ content: { content_type: 'tether_quote', url: 'https://a.example', text: word } }),
  (word) => ({
    content: { content_type: 'code', text: JSON.stringify({ name: 'x', type: 'code/js', content: word }) },
    recipient: 'canmore.create_textdoc',
  }),
  (word) => ({
    content: { content_type: 'text', parts: [JSON.stringify({ updates: [{ pattern: 'a', replacement: word }] })] },
    recipient: 'canmore.update_textdoc',
  }),
  (word) => ({ content: { parts: [null, 7, word] } }),
];

function formatParentId({ at, parent, link }: Pick<Message, 'at' | 'parent' | 'link'>): string | undefined {
  if (parent === undefined || link === 'none') return undefined;
  return link === 'lost' ? `p${at}` : `n${parent}`;
}

function readAsClaude(messages: readonly Message[], shape: File): ReadRecord {
  const chat_messages = inFile(messages, shape).map(({ at, parent, link, isUser, shape: kind }) => ({
    uuid: `n${at}`,
    parent_message_uuid: formatParentId({ at, parent, link }),
    sender: isUser ? 'human' : 'assistant',
    ...(shape.isTimed && { created_at: new Date(createTime(at) * 1000).toISOString() }),
    ...claudeShapes[kind]?.(createWord(at)),
  }));
  return createClaudeRecord('here', { name: 'T', chat_messages, current_leaf_message_uuid: shape.current }, new Date());
}

const claudeShapes: readonly ((word: string) => object)[] = [
  (word) => ({ text: word }),
  (word) => ({ text: word, content: [] }),
  (word) => ({ text: word, content: [{ type: 'thinking', thinking: 'hidden' }] }),
  (word) => ({ text: '', content: [{ type: 'text', text: word }] }),
  (word) => ({
    text: word,
    content: [
      { type: 'text', text: word },
      { type: 'tool_use', name: 'x', input: {} },
    ],
  }),
  (word) => ({ content: [{ type: 'tool_use', name: 'artifacts', input: { id: 'a', content: word } }] }),
  (word) => ({ content: [{ type: 'tool_use', name: 'artifacts', input: { id: 'a', old_str: 'b', new_str: word } }] }),
  (word) => ({ text: '', attachments: [{ file_name: '', extracted_content: word }] }),
  (word) => ({ text: null, files: [{ file_name: word }], files_v2: [{ file_name: word }] }),
  (word) => ({ content: [{ type: 'hologram', deep: [word] }, null] }),
];

const getContent = (record: ReadRecord) => (record.kind === 'note' ? record.note.content : '');

test.each([
  ['ChatGPT', readAsChatgpt],
  ['Claude', readAsClaude],
])('%s: a conversation that was cut anywhere keeps the words of each message, once and in order', (_, createRecord) => {
  fc.assert(
    fc.property(chain, file, (messages, shape) => {
      expect(findWordNumbers(getContent(createRecord(messages, shape)))).toEqual(messages.map(({ at }) => at));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['ChatGPT', readAsChatgpt],
  ['Claude', readAsClaude],
])(
  '%s: a conversation with branches and circles keeps the words before the shown message, once and in order',
  (_, createRecord) => {
    fc.assert(
      fc.property(graph, file, (all, shape) => {
        const messages = all.map((message) => ({ ...message, link: 'parent' as const }));

        const words = findWordNumbers(getContent(createRecord(messages, shape)));

        expect(words).toEqual([...new Set(words)]);
        const current = messages.find(({ at }) => `n${at}` === shape.current);
        const before = new Set<number>();
        for (let at = current?.at; at !== undefined && !before.has(at); at = messages[at]?.parent) before.add(at);
        expect(words.filter((at) => before.has(at))).toEqual([...before].reverse());
      }),
      { numRuns: 500 },
    );
  },
);
