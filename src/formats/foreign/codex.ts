/**
 * A line of an OpenAI Codex session in ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl: an item as the model
 * sees it; since September 2025 inside `{timestamp, type, payload}`, and beside events: `user_message` and
 * `agent_message`, or since August 2026 `item_completed`. Based on github.com/openai/codex, codex-rs/protocol/src:
 * models.rs (`ResponseItem`, `ContentItem`), protocol.rs (`RolloutItem`), items.rs (`TurnItem`), and
 * codex-rs/core/src/context (tags of inserted texts). Sessions are compressed after a week, as `rollout-*.jsonl.zst`
 * (codex-rs/rollout/src/compression.rs). Before June 2025 a session was one object, `rollout-*.json` (codex-cli, the
 * former command line: codex-cli/src/utils/storage/save-rollout.ts).
 */

import { type Fields, isObject, parsed } from '../../core/tools/json.ts';
import { toArray, toObject, toText } from '../record.ts';
import {
  attached,
  blockTexts,
  type FinishedSession,
  joined,
  type SessionLine,
  type SessionProgram,
  type SessionReader,
  type Turn,
  toolCall,
  toolResult,
  unwrapped,
  you,
} from './transcript.ts';

const assistant = 'Codex';

/** Types of lines outside of an envelope, and fields of the first line then. */
const itemTypes = /^(message|reasoning|(function_call|custom_tool_call|local_shell_call|web_search_call)(_output)?)$/;

export const codex: SessionProgram = {
  name: 'codex',
  recognizesLine: (line) =>
    'payload' in line || 'record_type' in line || 'instructions' in line || itemTypes.test(toText(line['type'])),
  createReader: () => new CodexReader(),
};

class CodexReader implements SessionReader {
  #isStarted = false;

  readId(line: Fields): string {
    return toText(toObject(line['payload'])['id']);
  }

  readLine(line: Fields): SessionLine {
    const isFirst = !this.#isStarted && line['type'] === 'session_meta';
    this.#isStarted ||= isFirst;
    return isFirst && isSubagentSession(line) ? { isSubagent: true } : readCodexLine(line);
  }

  finish(turns: readonly Turn[]): FinishedSession {
    return { turns: withoutRepeats(turns) };
  }
}

function readCodexLine(line: Fields): SessionLine {
  if (!('payload' in line)) return itemLine(line);
  const payload = toObject(line['payload']);
  if (line['type'] === 'response_item') return itemLine(payload);
  return (line['type'] === 'event_msg' ? eventLine(payload) : undefined) ?? left(line);
}

/** The lines of a session that is one object, `{session, items}`; undefined if it is none. */
export function parseCodexObject({ session, items }: Fields): readonly Fields[] | undefined {
  if (!isObject(session) || !Array.isArray(items)) return undefined;
  const { id, timestamp } = session;
  return [{ type: 'session_meta', timestamp, payload: { id } }, ...items.filter(isObject)];
}

/** Who begins a session that is no conversation with the user. */
const programSources: readonly unknown[] = ['subagent', 'guardian_review', 'memory_consolidation'];

/** Whether the first line says that another session, or Codex itself, began this one. A fork is of the user. */
function isSubagentSession(line: Fields): boolean {
  const { thread_source, source } = toObject(line['payload']);
  return programSources.includes(thread_source) || 'subagent' in toObject(source) || 'internal' in toObject(source);
}

const left = ({ type }: Fields): SessionLine => ({ leftOut: toText(type) || 'of no type' });

function itemLine(item: Fields): SessionLine {
  switch (item['type']) {
    case 'message':
      return messageLine(item);
    case 'function_call':
      return said(toolCall(toText(item['name']), parsed(toText(item['arguments'])) ?? item['arguments']));
    case 'custom_tool_call':
      return said(toolCall(toText(item['name']), item['input']));
    case 'local_shell_call':
    case 'web_search_call':
      return said(toolCall(toText(item['type']).replace('_call', ''), item['action']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return said(toolResult(outputText(item['output'])));
    default:
      return left(item);
  }
}

const said = (text: string): SessionLine => ({ turns: [{ speaker: assistant, text }] });

function messageLine({ role, content }: Fields): SessionLine {
  if (role === 'assistant') return answered(content, 'response');
  return role === 'user' ? typed(content, 'response') : ofProgram;
}

/** A message as an event; undefined for other events. */
function eventLine(event: Fields): SessionLine | undefined {
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
      return typed(content, source);
    case 'agentmessage':
    case 'plan':
      return answered(content, source);
    default:
      return undefined;
  }
}

type Source = Turn['source'] & string;

const ofProgram: SessionLine = { leftOut: 'of the program itself' };

const blocksIn = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ text: content }] : toArray(content);

const answered = (content: unknown, source: Source): SessionLine => ({
  turns: blocksIn(content).map((block) => ({ speaker: assistant, text: blockTexts([block]), source })),
});

/** The texts are one turn; each picture is another, as some records lack them. */
function typed(content: unknown, source: Source): SessionLine {
  const blocks = blocksIn(content);
  const texts = blocks.flatMap((block) => typedTexts(toText(toObject(block)['text'])));
  const others = blocks.filter((block) => !('text' in toObject(block))).map((block) => blockTexts([block]));
  const turns = [joined(texts), ...others].filter((text) => text !== '');
  return turns.length === 0 ? ofProgram : { turns: turns.map((text) => ({ speaker: you, text, source })) };
}

/** Tags of texts that Codex inserts in the user's name. */
const tags: ReadonlySet<string> = new Set([
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

function typedTexts(text: string): readonly string[] {
  if (/^<\/?image\b[^<>]*>$/.test(text)) return [];
  const { blocks, words } = unwrapped(text, tags);
  const shell = unwrapped(blocks.get('user_shell_command') ?? '', shellTags).blocks;
  const command = shell.get('command')?.trim();
  return [command ? `!${command}` : '', toolResult(shell.get('result') ?? ''), ...requestIn(words)];
}

const request = /\n## My request(?: for Codex)?:\n/;

/** Leaves out the open files, which editors put before a request. Of files given by the user, the names remain. */
function requestIn(words: string): readonly string[] {
  const heading = /^# (Context from my IDE setup|Files mentioned by the user):\n/.exec(words)?.[1];
  const match = heading === undefined ? null : request.exec(words);
  if (match === null) return [words];
  const files = heading?.startsWith('Files') ? words.slice(0, match.index).matchAll(/^## (.+?): /gm) : [];
  return [words.slice(match.index + match[0].length), ...Array.from(files, ([, name = '']) => attached('File', name))];
}

/** A text, blocks, or, in older versions, JSON that contains the text. */
function outputText(output: unknown): string {
  const inner = toObject(typeof output === 'string' ? parsed(output) : output);
  const text = inner['output'] ?? inner['content'];
  return blockTexts(text === undefined ? output : text);
}

/** Leaves one record of each message: of the user's as typed, of Codex's as the model wrote it. */
function withoutRepeats(turns: readonly Turn[]): readonly Turn[] {
  const runs: Turn[][] = [];
  for (const turn of turns) {
    const run = runs.at(-1);
    if (run?.[0]?.speaker === turn.speaker) run.push(turn);
    else runs.push([turn]);
  }
  return runs.flatMap((run) => (run.some(({ source }) => source === 'item' || source === 'event') ? onceIn(run) : run));
}

/** The best record first. */
const ofUser: readonly Source[] = ['item', 'event', 'response'];
const ofCodex: readonly Source[] = ['response', 'item', 'event'];

/** Compares the records between two turns of the other speaker, where those of a message stand. */
function onceIn(run: readonly Turn[]): readonly Turn[] {
  const sources = run[0]?.speaker === you ? ofUser : ofCodex;
  const ids = (turn: Turn) => `${turn.source} ${wordsOf(turn)}`;
  const totals = new Map<string, number>();
  for (const turn of run) totals.set(ids(turn), (totals.get(ids(turn)) ?? 0) + 1);
  const earlier = new Map<string, number>();
  const once = run.filter((turn) => {
    if (turn.source === undefined) return true;
    const before = earlier.get(ids(turn)) ?? 0;
    earlier.set(ids(turn), before + 1);
    const better = sources.slice(0, sources.indexOf(turn.source));
    return !better.some((source) => (totals.get(ids({ ...turn, source })) ?? 0) > before);
  });
  return sources === ofUser ? withoutUnknownTags(once) : withoutParts(once);
}

/** Spacing differs between records. */
const wordsOf = ({ text }: Turn) => text.replace(/\s+/g, '');

/** Leaves out texts in the user's name that the user did not type, nor a known tag tells. */
function withoutUnknownTags(run: readonly Turn[]): readonly Turn[] {
  let typedNext = '';
  const kept = [...run].reverse().filter((turn) => {
    if (turn.source === undefined) return true;
    const words = wordsOf(turn);
    if (turn.source !== 'response') typedNext = words;
    if (turn.source !== 'response') return true;
    const tag = /^<([\w-]+)/.exec(words)?.[1];
    const isTyped = !/^[<#]/.test(words) || typedNext === '' || !words.endsWith(typedNext);
    return isTyped && !(tag !== undefined && words.endsWith(`</${tag}>`));
  });
  return kept.reverse();
}

/** Responses that Codex shows in parts, and the number of them that are compared. */
const isInParts = /<(oai-mem-citation|proposed_plan)>/;
const maxCompared = 16;

function withoutParts(run: readonly Turn[]): readonly Turn[] {
  const whole = run.filter(({ source, text }) => source === 'response' && isInParts.test(text)).slice(-maxCompared);
  const texts = whole.map(wordsOf);
  return run.filter((turn) => turn.source === 'response' || !texts.some((text) => text.includes(wordsOf(turn))));
}
