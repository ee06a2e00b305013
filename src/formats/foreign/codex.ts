/**
 * A line of an OpenAI Codex session in ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl: an item as the model
 * sees it; since September 2025 inside `{timestamp, type, payload}`, and beside events: `user_message` and
 * `agent_message`, or since August 2026 `item_completed`. Based on github.com/openai/codex, codex-rs/protocol/src:
 * models.rs (`ResponseItem`, `ContentItem`), protocol.rs (`RolloutItem`), items.rs (`TurnItem`), and
 * codex-rs/core/src/context (tags of inserted texts). Sessions are compressed after a week, as `rollout-*.jsonl.zst`
 * (codex-rs/rollout/src/compression.rs). Before June 2025 a session was one object, `rollout-*.json` (codex-cli, the
 * former command line: codex-cli/src/utils/storage/save-rollout.ts).
 */

import { type Fields, isObject, tryParseJson } from '../../core/json/json.ts';
import { toArray, toObject, toText } from '../untyped-values.ts';
import type { FinishedSession, SessionLine, SessionProgram, SessionReader } from './session-program.ts';
import {
  formatAttachmentLabel,
  formatContentBlocks,
  formatToolCall,
  formatToolResult,
  joinParagraphs,
  splitInsertedBlocks,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Codex';

/** Types of lines outside of an envelope, and fields of the first line then. */
const itemTypes = /^(message|reasoning|(function_call|custom_tool_call|local_shell_call|web_search_call)(_output)?)$/;

export const codex: SessionProgram = {
  name: 'codex',
  recognizesLine: (line) =>
    'payload' in line || 'record_type' in line || 'instructions' in line || itemTypes.test(toText(line['type'])),
  createReader: () => new CodexLineReader(),
};

class CodexLineReader implements SessionReader {
  #isStarted = false;

  findSessionIdOrEmpty(line: Fields): string {
    return toText(toObject(line['payload'])['id']);
  }

  interpretLine(line: Fields): SessionLine {
    const isFirst = !this.#isStarted && line['type'] === 'session_meta';
    this.#isStarted ||= isFirst;
    return isFirst && beginsSubagentSession(line) ? { isSubagent: true } : toCodexLine(line);
  }

  selectShownTurns(turns: readonly Turn[]): FinishedSession {
    return { turns: removeRepeatedTurns(turns) };
  }
}

function toCodexLine(line: Fields): SessionLine {
  if (!('payload' in line)) return toItemLine(line);
  const payload = toObject(line['payload']);
  if (line['type'] === 'response_item') return toItemLine(payload);
  return (line['type'] === 'event_msg' ? findEventLine(payload) : undefined) ?? toLeftOutLine(line);
}

/** The lines of a session that is one object, `{session, items}`; undefined if it is none. */
export function findLinesOfCodexObject({ session, items }: Fields): readonly Fields[] | undefined {
  if (!isObject(session) || !Array.isArray(items)) return undefined;
  const { id, timestamp } = session;
  return [{ type: 'session_meta', timestamp, payload: { id } }, ...items.filter(isObject)];
}

/** Who begins a session that is no conversation with the user. */
const programSources: readonly unknown[] = ['subagent', 'guardian_review', 'memory_consolidation'];

/** Whether the first line says that another session, or Codex itself, began this one. A fork is of the user. */
function beginsSubagentSession(line: Fields): boolean {
  const { thread_source, source } = toObject(line['payload']);
  return programSources.includes(thread_source) || 'subagent' in toObject(source) || 'internal' in toObject(source);
}

const toLeftOutLine = ({ type }: Fields): SessionLine => ({ leftOut: toText(type) || 'of no type' });

function toItemLine(item: Fields): SessionLine {
  switch (item['type']) {
    case 'message':
      return toMessageLine(item);
    case 'function_call':
      return toAssistantLine(
        formatToolCall(toText(item['name']), tryParseJson(toText(item['arguments'])) ?? item['arguments']),
      );
    case 'custom_tool_call':
      return toAssistantLine(formatToolCall(toText(item['name']), item['input']));
    case 'local_shell_call':
    case 'web_search_call':
      return toAssistantLine(formatToolCall(toText(item['type']).replace('_call', ''), item['action']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return toAssistantLine(formatToolResult(formatToolOutput(item['output'])));
    default:
      return toLeftOutLine(item);
  }
}

const toAssistantLine = (text: string): SessionLine => ({ turns: [{ speaker: assistant, text }] });

function toMessageLine({ role, content }: Fields): SessionLine {
  if (role === 'assistant') return toResponseLine(content, 'response');
  return role === 'user' ? toPromptLine(content, 'response') : programLine;
}

/** A message as an event; undefined for other events. */
function findEventLine(event: Fields): SessionLine | undefined {
  const item = event['type'] === 'item_completed' ? toObject(event['item']) : undefined;
  const pictures = [...toArray(event['images']), ...toArray(event['local_images'])].map(() => ({ type: 'image' }));
  const content =
    item === undefined ? [{ text: toText(event['message']) }, ...pictures] : (item['content'] ?? item['text']);
  const source = item === undefined ? 'event' : 'item';
  // In snake case as an event, in Pascal case as an item.
  switch (
    toText((item ?? event)['type'])
      .replaceAll('_', '')
      .toLowerCase()
  ) {
    case 'usermessage':
      return toPromptLine(content, source);
    case 'agentmessage':
    case 'plan':
      return toResponseLine(content, source);
    default:
      return undefined;
  }
}

type TurnSource = Turn['source'] & string;

const programLine: SessionLine = { leftOut: 'of the program itself' };

const toBlocks = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ text: content }] : toArray(content);

const toResponseLine = (content: unknown, source: TurnSource): SessionLine => ({
  turns: toBlocks(content).map((block) => ({ speaker: assistant, text: formatContentBlocks([block]), source })),
});

/** The texts are one turn; each picture is another, as some records lack them. */
function toPromptLine(content: unknown, source: TurnSource): SessionLine {
  const blocks = toBlocks(content);
  const texts = blocks.flatMap((block) => listTypedTexts(toText(toObject(block)['text'])));
  const others = blocks.filter((block) => !('text' in toObject(block))).map((block) => formatContentBlocks([block]));
  const turns = [joinParagraphs(texts), ...others].filter((text) => text !== '');
  return turns.length === 0 ? programLine : { turns: turns.map((text) => ({ speaker: userSpeaker, text, source })) };
}

/** Tags of texts that Codex inserts in the user's name. */
const insertedTags: ReadonlySet<string> = new Set([
  'INSTRUCTIONS',
  'app-context',
  'apps_instructions',
  'codex_internal_context',
  'collaboration_mode',
  'environment_context',
  'extension_context',
  'goal_context',
  'hook_prompt',
  'model_switch',
  'multi_agent_mode',
  'permissions instructions',
  'personality_spec',
  'plugins_instructions',
  'realtime_conversation',
  'recommended_plugins',
  'skill',
  'skills_instructions',
  'subagent_notification',
  'token_budget',
  'turn_aborted',
  'user_action',
  'user_instructions',
  'user_shell_command',
]);

const shellTags: ReadonlySet<string> = new Set(['command', 'result']);

function listTypedTexts(text: string): readonly string[] {
  if (/^<\/?image\b[^<>]*>$/.test(text)) return [];
  const { blocks, words } = splitInsertedBlocks(text, insertedTags);
  const shell = splitInsertedBlocks(blocks.get('user_shell_command') ?? '', shellTags).blocks;
  const command = shell.get('command')?.trim();
  return [command ? `!${command}` : '', formatToolResult(shell.get('result') ?? ''), ...listRequestAndFileNames(words)];
}

const requestHeading = /\n## My request(?: for Codex)?:\n/;

/**
 * Leaves out the open files, which editors put before a request. Of files that the user has named, the names remain.
 */
function listRequestAndFileNames(words: string): readonly string[] {
  const heading = /^# (Context from my IDE setup|Files mentioned by the user):\n/.exec(words)?.[1];
  const match = heading === undefined ? null : requestHeading.exec(words);
  if (match === null) return [words];
  const files = heading?.startsWith('Files') ? words.slice(0, match.index).matchAll(/^## (.+?): /gm) : [];
  return [
    words.slice(match.index + match[0].length),
    ...Array.from(files, ([, name = '']) => formatAttachmentLabel('File', name)),
  ];
}

/** A text, blocks, or, in older versions, JSON that contains the text. */
function formatToolOutput(output: unknown): string {
  const inner = toObject(typeof output === 'string' ? tryParseJson(output) : output);
  const text = inner['output'] ?? inner['content'];
  return formatContentBlocks(text === undefined ? output : text);
}

/**
 * Codex may write a message twice or three times: as a response of the model, as an event, and as an item. This
 * function leaves the best record of each message. Of a message of the user, the best record is the item or the event,
 * which has what the user typed. Of a message of Codex, the best record is the response, which has what the model
 * wrote.
 */
function removeRepeatedTurns(turns: readonly Turn[]): readonly Turn[] {
  const runs: Turn[][] = [];
  for (const turn of turns) {
    const run = runs.at(-1);
    if (run?.[0]?.speaker === turn.speaker) run.push(turn);
    else runs.push([turn]);
  }
  return runs.flatMap((run) =>
    run.some(({ source }) => source === 'item' || source === 'event') ? removeRepeatsInRun(run) : run,
  );
}

/** The sources of records, the best one first. */
const userSources: readonly TurnSource[] = ['item', 'event', 'response'];
const codexSources: readonly TurnSource[] = ['response', 'item', 'event'];

/**
 * Leaves the best record of each message in a run. A run is everything that one speaker says before the other speaker
 * says something. A speaker may say the same text several times. Therefore the records of a text are numbered for each
 * source, and a record is removed only if a better source has a record of the same text with the same number.
 *
 * Example: the user typed "go" twice, and the run has these records of it, where an event is better than a response:
 *
 *     event "go"       number 1 of the events: stays, as no better source has "go"
 *     response "go"    number 1 of the responses: is removed, as the events have a number 1
 *     event "go"       number 2 of the events: stays
 */
function removeRepeatsInRun(run: readonly Turn[]): readonly Turn[] {
  const sources = run[0]?.speaker === userSpeaker ? userSources : codexSources;
  const createTurnKey = (turn: Turn) => `${turn.source} ${toComparableText(turn)}`;
  const totals = new Map<string, number>();
  for (const turn of run) totals.set(createTurnKey(turn), (totals.get(createTurnKey(turn)) ?? 0) + 1);
  const earlier = new Map<string, number>();
  const once = run.filter((turn) => {
    if (turn.source === undefined) return true;
    const before = earlier.get(createTurnKey(turn)) ?? 0;
    earlier.set(createTurnKey(turn), before + 1);
    const better = sources.slice(0, sources.indexOf(turn.source));
    return !better.some((source) => (totals.get(createTurnKey({ ...turn, source })) ?? 0) > before);
  });
  return sources === userSources ? removeInsertedTexts(once) : removeTurnsWithinResponses(once);
}

/** Spacing differs between records. */
const toComparableText = ({ text }: Turn) => text.replace(/\s+/g, '');

/**
 * Removes texts that Codex inserted in the user's name and that have no tag in `insertedTags`. Such a text begins with
 * `<` or `#`, and ends with its own closing tag, or with the words that the user typed next.
 */
function removeInsertedTexts(run: readonly Turn[]): readonly Turn[] {
  let typedNext = '';
  const typedTurns = [...run].reverse().filter((turn) => {
    if (turn.source === undefined) return true;
    const words = toComparableText(turn);
    if (turn.source !== 'response') typedNext = words;
    if (turn.source !== 'response') return true;
    const tag = /^<([\w-]+)/.exec(words)?.[1];
    const isTyped = !/^[<#]/.test(words) || typedNext === '' || !words.endsWith(typedNext);
    return isTyped && !(tag !== undefined && words.endsWith(`</${tag}>`));
  });
  return typedTurns.reverse();
}

/** Responses that Codex shows in parts, and the number of them that are compared. */
const partsMark = /<(oai-mem-citation|proposed_plan)>/;
const maxCompared = 16;

function removeTurnsWithinResponses(run: readonly Turn[]): readonly Turn[] {
  const responses = run.filter(({ source, text }) => source === 'response' && partsMark.test(text)).slice(-maxCompared);
  const texts = responses.map(toComparableText);
  return run.filter(
    (turn) => turn.source === 'response' || !texts.some((text) => text.includes(toComparableText(turn))),
  );
}
