/**
 * A line of an OpenAI Codex session in ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl: an item as the model
 * sees it; since September 2025 inside `{timestamp, type, payload}`, and beside events: `user_message` and
 * `agent_message`, or since August 2026 `item_completed`. Based on github.com/openai/codex, codex-rs/protocol/src:
 * models.rs (`ResponseItem`, `ContentItem`), protocol.rs (`RolloutItem`), items.rs (`TurnItem`), and
 * codex-rs/core/src/context (tags of inserted texts). Sessions are compressed after a week, as `rollout-*.jsonl.zst`
 * (codex-rs/rollout/src/compression.rs). Before June 2025 a session was one object, `rollout-*.json` (codex-cli, the
 * former command line: codex-cli/src/utils/storage/save-rollout.ts).
 */

import { type Fields, isObject, tryParseJson } from '../../../core/json/json.ts';
import { toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import type { InterpretedLine, SessionInterpreter, SessionProgram, ShownTurns } from './session-program.ts';
import {
  formatAttachmentLabel,
  formatContentBlocks,
  formatShortenedToolCall,
  formatShortenedToolResultOrEmpty,
  joinNonBlankParagraphs,
  splitIntoInsertedBlocksAndWords,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Codex';

/** The types of lines that are not inside `{timestamp, type, payload}`. */
const itemTypes = /^(message|reasoning|(function_call|custom_tool_call|local_shell_call|web_search_call)(_output)?)$/;

export const codex: SessionProgram = {
  name: 'codex',
  recognizesLine: (line) =>
    'payload' in line || 'record_type' in line || 'instructions' in line || itemTypes.test(toTextOrEmpty(line['type'])),
  createInterpreter: () => new CodexInterpreter(),
};

class CodexInterpreter implements SessionInterpreter {
  #isStarted = false;

  getSessionIdOfLineOrEmpty(line: Fields): string {
    return toTextOrEmpty(toObjectOrEmpty(line['payload'])['id']);
  }

  interpretNextLine(line: Fields): InterpretedLine {
    const isFirst = !this.#isStarted && line['type'] === 'session_meta';
    this.#isStarted ||= isFirst;
    return isFirst && beginsSubagentSession(line) ? { isSubagent: true } : interpretCodexLine(line);
  }

  selectShownTurns(turns: readonly Turn[]): ShownTurns {
    return { turns: removeRepeatedTurns(turns) };
  }
}

function interpretCodexLine(line: Fields): InterpretedLine {
  if (!('payload' in line)) return interpretItem(line);
  const payload = toObjectOrEmpty(line['payload']);
  if (line['type'] === 'response_item') return interpretItem(payload);
  return (line['type'] === 'event_msg' ? tryInterpretEvent(payload) : undefined) ?? createLeftOutLineByType(line);
}

/**
 * Finds the lines of a session that is one object, `{session, items}`. Returns undefined if the object is no such
 * session.
 */
export function findLinesOfCodexObject({ session, items }: Fields): readonly Fields[] | undefined {
  if (!isObject(session) || !Array.isArray(items)) return undefined;
  const { id, timestamp } = session;
  return [{ type: 'session_meta', timestamp, payload: { id } }, ...items.filter(isObject)];
}

/** These sources begin sessions that are no conversations with the user. */
const programSources: readonly unknown[] = ['subagent', 'guardian_review', 'memory_consolidation'];

/** Whether the first line says that another session, or Codex itself, began this one. A fork is of the user. */
function beginsSubagentSession(line: Fields): boolean {
  const { thread_source, source } = toObjectOrEmpty(line['payload']);
  return (
    programSources.includes(thread_source) ||
    'subagent' in toObjectOrEmpty(source) ||
    'internal' in toObjectOrEmpty(source)
  );
}

const createLeftOutLineByType = ({ type }: Fields): InterpretedLine => ({
  leftOut: toTextOrEmpty(type) || 'of no type',
});

function interpretItem(item: Fields): InterpretedLine {
  switch (item['type']) {
    case 'message':
      return interpretMessage(item);
    case 'function_call':
      return createAssistantLine(
        formatShortenedToolCall(
          toTextOrEmpty(item['name']),
          tryParseJson(toTextOrEmpty(item['arguments'])) ?? item['arguments'],
        ),
      );
    case 'custom_tool_call':
      return createAssistantLine(formatShortenedToolCall(toTextOrEmpty(item['name']), item['input']));
    case 'local_shell_call':
    case 'web_search_call':
      return createAssistantLine(
        formatShortenedToolCall(toTextOrEmpty(item['type']).replace('_call', ''), item['action']),
      );
    case 'function_call_output':
    case 'custom_tool_call_output':
      return createAssistantLine(formatShortenedToolResultOrEmpty(formatToolOutput(item['output'])));
    default:
      return createLeftOutLineByType(item);
  }
}

const createAssistantLine = (text: string): InterpretedLine => ({ turns: [{ speaker: assistant, text }] });

function interpretMessage({ role, content }: Fields): InterpretedLine {
  if (role === 'assistant') return interpretResponse(content, 'response');
  return role === 'user' ? interpretPrompt(content, 'response') : programLine;
}

/** Interprets an event that is a message. Returns undefined for other events. */
function tryInterpretEvent(event: Fields): InterpretedLine | undefined {
  const item = event['type'] === 'item_completed' ? toObjectOrEmpty(event['item']) : undefined;
  const pictures = [...toArrayOrEmpty(event['images']), ...toArrayOrEmpty(event['local_images'])].map(() => ({
    type: 'image',
  }));
  const content =
    item === undefined ? [{ text: toTextOrEmpty(event['message']) }, ...pictures] : (item['content'] ?? item['text']);
  const source = item === undefined ? 'event' : 'item';
  // In snake case as an event, in Pascal case as an item.
  switch (
    toTextOrEmpty((item ?? event)['type'])
      .replaceAll('_', '')
      .toLowerCase()
  ) {
    case 'usermessage':
      return interpretPrompt(content, source);
    case 'agentmessage':
    case 'plan':
      return interpretResponse(content, source);
    default:
      return undefined;
  }
}

type TurnSource = Turn['source'] & string;

const programLine: InterpretedLine = { leftOut: 'of the program itself' };

const toContentBlocks = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ text: content }] : toArrayOrEmpty(content);

const interpretResponse = (content: unknown, source: TurnSource): InterpretedLine => ({
  turns: toContentBlocks(content).map((block) => ({ speaker: assistant, text: formatContentBlocks([block]), source })),
});

/**
 * Interprets a message of the user: its texts are one turn, and each picture is another, as some records lack pictures.
 */
function interpretPrompt(content: unknown, source: TurnSource): InterpretedLine {
  const blocks = toContentBlocks(content);
  const texts = blocks.flatMap((block) => listTypedTexts(toTextOrEmpty(toObjectOrEmpty(block)['text'])));
  const others = blocks
    .filter((block) => !('text' in toObjectOrEmpty(block)))
    .map((block) => formatContentBlocks([block]));
  const turns = [joinNonBlankParagraphs(texts), ...others].filter((text) => text !== '');
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
  const { blocks, words } = splitIntoInsertedBlocksAndWords(text, insertedTags);
  const shell = splitIntoInsertedBlocksAndWords(blocks.get('user_shell_command') ?? '', shellTags).blocks;
  const command = shell.get('command')?.trim();
  return [
    command ? `!${command}` : '',
    formatShortenedToolResultOrEmpty(shell.get('result') ?? ''),
    ...listRequestAndFileLabels(words),
  ];
}

const requestHeading = /\n## My request(?: for Codex)?:\n/;

/**
 * Lists the request in the words of a user, and labels of the files that the user has named. Editors put a list of
 * files before the request. Files that were only open are left out.
 *
 * Example: "# Files mentioned by the user:\n\n## a.ts: /src/a.ts\n\n## My request for Codex:\nMend it" gives "Mend it"
 * and "[File: a.ts]".
 */
function listRequestAndFileLabels(words: string): readonly string[] {
  const heading = /^# (Context from my IDE setup|Files mentioned by the user):\n/.exec(words)?.[1];
  const match = heading === undefined ? null : requestHeading.exec(words);
  if (match === null) return [words];
  const files = heading?.startsWith('Files') ? words.slice(0, match.index).matchAll(/^## (.+?): /gm) : [];
  return [
    words.slice(match.index + match[0].length),
    ...Array.from(files, ([, name = '']) => formatAttachmentLabel('File', name)),
  ];
}

/** Formats the output of a tool: a text, blocks, or, in older versions, JSON that contains the text. */
function formatToolOutput(output: unknown): string {
  const inner = toObjectOrEmpty(typeof output === 'string' ? tryParseJson(output) : output);
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
    run.some(({ source }) => source === 'item' || source === 'event') ? keepBestTurnsOfSpeakerRun(run) : run,
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
function keepBestTurnsOfSpeakerRun(run: readonly Turn[]): readonly Turn[] {
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
  return sources === userSources ? removeInsertedTurns(once) : removeTurnsWithinTaggedResponses(once);
}

/** Removes the whitespace of a turn, as it differs between the records of a message. */
const toComparableText = ({ text }: Turn) => text.replace(/\s+/g, '');

/**
 * Removes texts that Codex inserted in the user's name and that have no tag in `insertedTags`. Such a text begins with
 * `<` or `#`, and ends with its own closing tag, or with the words that the user typed next.
 *
 * Example: of the response "<new-tag>a</new-tag>", the response "# Files\nGo on" and the event "Go on" the event stays.
 */
function removeInsertedTurns(run: readonly Turn[]): readonly Turn[] {
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

/** Codex shows responses with these tags in parts. Only the last ones of a run are compared, which bounds the time. */
const partsMark = /<(oai-mem-citation|proposed_plan)>/;
const maxCompared = 16;

/** Removes the events and items whose text is a part of such a response, which stays. */
function removeTurnsWithinTaggedResponses(run: readonly Turn[]): readonly Turn[] {
  const responses = run.filter(({ source, text }) => source === 'response' && partsMark.test(text)).slice(-maxCompared);
  const texts = responses.map(toComparableText);
  return run.filter(
    (turn) => turn.source === 'response' || !texts.some((text) => text.includes(toComparableText(turn))),
  );
}
