/**
 * Whatever a session is made of, the words of each turn are in its note once, in order, or the report names the line
 * that holds them.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readText } from '../../../../test/fixtures/read.ts';

interface Spoken {
  readonly speaker: string;
  readonly text: string;
}

/** What a program writes for some turns. */
interface Part {
  readonly turns: readonly Spoken[];
  readonly lines: readonly object[];
}

/** Tags that programs use around their own texts: in the midst of a text they are words of the user. */
const word = fc.oneof(
  fc.constantFrom(
    '<system-reminder>',
    '</system-reminder>',
    '<environment_context>x</environment_context>',
    '# A',
    '🔴',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map((text) => text.replaceAll('\0', '0')),
);
/** Often equal, as people repeat themselves. */
const text = fc.oneof(
  fc.constantFrom('Go on', 'Yes'),
  fc.array(word, { maxLength: 5 }).map((words) => ['Say', ...words].join(' ')),
);
const texts = fc.array(text, { minLength: 1, maxLength: 3 });

const message = (role: string, content: unknown) => ({ sessionId: 's', type: role, message: { role, content } });
const queue = (operation: string, content?: string, reason?: string) => ({
  type: 'queue-operation',
  sessionId: 's',
  operation,
  content,
  reason,
});
const absorbed = (prompt: string) => queue('remove', prompt, 'absorbed_mid_turn');
const attachment = (prompt: string) => ({
  type: 'attachment',
  attachment: { type: 'queued_command', commandMode: 'prompt', prompt },
});
const answer = (said: string): Part => ({
  turns: [{ speaker: 'Claude', text: said }],
  lines: [
    message('assistant', [
      { type: 'thinking', thinking: 'LOST' },
      { type: 'text', text: said },
    ]),
  ],
});

const claudeCodePart: fc.Arbitrary<Part> = fc.oneof(
  text.map(answer),
  text.map((asked) => ({
    turns: [{ speaker: 'You', text: asked }],
    lines: [queue('enqueue', asked), queue('dequeue'), message('user', [{ type: 'text', text: asked }])],
  })),
  fc
    .record({
      asked: texts,
      forms: fc.shuffledSubarray<(prompt: string) => object>([absorbed, attachment], { minLength: 1 }),
      isMessageToo: fc.boolean(),
    })
    .map(({ asked, forms, isMessageToo }) => ({
      turns: [...asked.map((prompt) => ({ speaker: 'You', text: prompt })), ...answer('Noted').turns],
      lines: [
        ...asked.map((prompt) => queue('enqueue', prompt)),
        ...forms.flatMap((form) => asked.map(form)),
        ...answer('Noted').lines,
        ...asked.slice(0, isMessageToo ? 1 : 0).map((prompt) => message('user', prompt)),
      ],
    })),
  fc
    .constantFrom<object>(
      { ...message('user', 'LOST'), isMeta: true },
      { ...message('assistant', 'LOST'), isSidechain: true },
      message('user', '<local-command-stdout>\u001b[1mLOST\u001b[22m</local-command-stdout>'),
      { type: 'file-history-snapshot', snapshot: {} },
      queue('remove', 'LOST'),
    )
    .map((line) => ({ turns: [], lines: [line] })),
);

type Kind = 'response' | 'event' | 'item';

/** A message of Codex in one of its records. */
function record(kind: Kind, speaker: string, said: string): object {
  const isUser = speaker === 'You';
  if (kind === 'response') return response(isUser ? 'user' : 'assistant', said);
  if (kind === 'event') {
    return { type: 'event_msg', payload: { type: isUser ? 'user_message' : 'agent_message', message: said } };
  }
  const item = { type: isUser ? 'UserMessage' : 'AgentMessage', id: 'i', content: [{ type: 'text', text: said }] };
  return { type: 'event_msg', payload: { type: 'item_completed', item } };
}

const response = (role: string, said: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type: 'input_text', text: said }] },
});

const codexParts: fc.Arbitrary<readonly Part[]> = fc
  .record({
    kinds: fc.shuffledSubarray<Kind>(['response', 'event', 'item'], { minLength: 1 }),
    spoken: fc.array(fc.record({ speaker: fc.constantFrom('You', 'Codex'), text }), { minLength: 1, maxLength: 12 }),
    inserted: fc.constantFrom('environment_context', 'recommended_plugins', 'user_instructions'),
  })
  .map(({ kinds, spoken, inserted }) => [
    { turns: [], lines: [{ type: 'session_meta', payload: { id: 'a' } }, response('developer', 'LOST')] },
    { turns: [], lines: [response('user', `<${inserted}>\nLOST\n</${inserted}>`)] },
    ...spoken.map((turn) => ({ turns: [turn], lines: kinds.map((kind) => record(kind, turn.speaker, turn.text)) })),
  ]);

const damages = ['none', 'within', 'at the end'] as const;

test.each<[string, string, fc.Arbitrary<readonly Part[]>]>([
  ['Claude Code', '0f0e8a3c-2b1d-4c5e-9f60-718293a4b5c6.jsonl', fc.array(claudeCodePart, { minLength: 1 })],
  ['Codex', 'rollout-1.jsonl', codexParts],
])('%s: the words of each turn are in the note once, or the report names their line', async (_, name, session) => {
  await fc.assert(
    fc.asyncProperty(session, fc.constantFrom(...damages), fc.nat(), async (parts, damage, place) => {
      const lines = parts.flatMap((part) => part.lines.map((line) => `${JSON.stringify(line)}\n`));
      const at = damage === 'within' ? place % lines.length : lines.length;
      if (damage !== 'none')
        lines.splice(at, 0, `{"type":"user","message":{"content":"LOST${damage === 'within' ? '\n' : ''}`);

      const { notes, rest } = await readText(name, lines.join(''), new Date(0));

      const turns = parts.flatMap((part) => part.turns);
      expect(notes.map(({ content }) => content)).toEqual(turns.length === 0 ? [] : [transcript(turns)]);
      const report = damage === 'within' ? `bad | line ${at + 1} of ` : `left out | line ${at + 1} of `;
      expect(rest.filter((line) => / \| line \d+ of /.test(line)).map((line) => line.startsWith(report))).toEqual(
        damage === 'none' ? [] : [true],
      );
    }),
  );
});

const exchange = fc.record({ asked: text, said: text, isWithdrawn: fc.boolean() });

test('Claude Code: after rewinds the words of the last branch are in the note once, also if a host writes them again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 8 }), fc.boolean(), async (exchanges, isCopied) => {
      const shown = exchanges.filter(({ isWithdrawn }, at) => !isWithdrawn || at === 0 || at === exchanges.length - 1);
      const lines = [
        ...linesInTree(exchanges, 'a', ({ isWithdrawn }, at) => isWithdrawn && at > 0),
        ...(isCopied ? linesInTree(shown, 'b', () => false) : []),
      ];

      const source = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { notes } = await readText('0f0e8a3c-2b1d-4c5e-9f60-718293a4b5c6.jsonl', source);

      const turns = shown.flatMap(({ asked, said }) => [
        { speaker: 'You', text: asked },
        { speaker: 'Claude', text: said },
      ]);
      expect(notes.map(({ content }) => content)).toEqual([transcript(turns)]);
    }),
  );
});

/** A prompt and its response follow the last response that was not withdrawn. */
function linesInTree<Exchange extends { readonly asked: string; readonly said: string }>(
  exchanges: readonly Exchange[],
  name: string,
  isWithdrawn: (exchange: Exchange, at: number) => boolean,
): readonly object[] {
  let parent: string | null = null;
  return exchanges.flatMap((one, at) => {
    const [prompt, response] = [`${name}${at}`, `${name}${at}r`];
    const before = parent;
    if (!isWithdrawn(one, at)) parent = response;
    return [
      { ...message('user', one.asked), uuid: prompt, parentUuid: before },
      { ...message('assistant', one.said), uuid: response, parentUuid: prompt },
    ];
  });
}

const request = fc.record({ asked: text, pieces: texts });

test.each(['.json', '.jsonl'])('VS Code (%s): the words of each turn are in the note once', async (ending) => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 5 }), async (requests) => {
      const chat = { version: 3, creationDate: 1, responderUsername: 'Copilot', requests: [] };
      const whole = requests.map(({ asked, pieces }) => ({
        message: { text: asked },
        response: pieces.map((value) => ({ value })),
      }));
      const changes = requests.flatMap(({ asked, pieces }, at) => [
        { kind: 2, k: ['requests'], v: [{ message: { text: asked }, response: [] }] },
        ...pieces.flatMap((value, piece) => [
          { kind: 2, k: ['requests', at, 'response'], v: [{ value: 'LOST' }] },
          { kind: 1, k: ['requests', at, 'response', piece], v: { value } },
        ]),
      ]);
      const log = [{ kind: 0, v: chat }, ...changes].map((line) => JSON.stringify(line)).join('\n');

      const source = ending === '.json' ? JSON.stringify({ ...chat, requests: whole }) : log;
      const { notes, rest } = await readText(`0f0e8a3c-2b1d-4c5e-9f60-718293a4b5c6${ending}`, source);

      const turns = requests.flatMap(({ asked, pieces }) => [
        { speaker: 'You', text: asked },
        { speaker: 'Copilot', text: pieces.join('') },
      ]);
      expect(notes.map(({ content }) => content)).toEqual([transcript(turns)]);
      expect(rest).toEqual([]);
    }),
  );
});

function transcript(turns: readonly Spoken[]): string {
  const parts = turns.flatMap((turn, at) =>
    turns[at - 1]?.speaker === turn.speaker ? [turn.text] : [`**${turn.speaker}**`, turn.text],
  );
  return parts.join('\n\n');
}
