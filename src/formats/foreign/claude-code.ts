/**
 * A Claude Code session in ~/.claude/projects/<folder>/<session>.jsonl, or the output of `claude -p --output-format
 * stream-json` (code.claude.com/docs/en/headless). Anthropic documents no format of the files. Based
 * on github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md (kinds of lines and blocks),
 * github.com/alosec/claude-editor-hook, memory-bank/03-guides/jsonl-analysis.md (files, `isSidechain`), and fields that
 * other parsers read from lines of 2026: `isMeta`, `isCompactSummary`, `custom-title`, `ai-title`, `queued_command`
 * (github.com/kenn-io/agentsview, issue 401), `queue-operation` (github.com/simonw/claude-code-transcripts, issue 98).
 */

import type { Fields } from '../../core/tools/json.ts';
import { findFirstText, toArray, toObject, toText } from '../record.ts';
import { ClaudeCodeTree } from './claude-code-tree.ts';
import {
  asJson,
  blockTexts,
  type FinishedSession,
  type SessionLine,
  type SessionProgram,
  type SessionReader,
  type Turn,
  toolCall,
  toolResult,
  unwrapped,
  you,
} from './transcript.ts';

const assistant = 'Claude';
const ofProgram: SessionLine = { leftOut: 'of the program itself' };
const repeated: SessionLine = { turns: [] };

/** Fields of lines in files, and of the output of `claude -p --output-format stream-json`. */
const fieldNames = ['message', 'sessionId', 'session_id', 'leafUuid', 'snapshot', 'attachment', 'operation'];

export const claudeCode: SessionProgram = {
  name: 'claude-code',
  recognizesLine: (line) => !('payload' in line) && fieldNames.some((name) => name in line),
  createReader: () => new ClaudeCodeReader(),
};

class ClaudeCodeReader implements SessionReader {
  /** Ids of the lines so far, as resumed sessions repeat lines, and a file also contains summaries of other sessions. */
  readonly #seen = new Set<string>();
  readonly #queue = new PromptQueue();
  readonly #tree = new ClaudeCodeTree();
  /** The last text of Claude, and the prompts so far: the output of the command line repeats them. */
  #lastText = '';
  readonly #prompts = new Set<string>();

  readId(line: Fields): string {
    return findFirstText(line['sessionId'], line['session_id']);
  }

  readLine(line: Fields): SessionLine {
    const { uuid } = line;
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return repeated;
    const read = this.#read(line);
    this.#tree.add(line, 'turns' in read ? read.turns : []);
    return read;
  }

  finish(turns: readonly Turn[]): FinishedSession {
    const { copied, withdrawn } = this.#tree.findWithdrawn();
    const shown = turns.filter((turn) => !copied.has(turn) && !withdrawn.has(turn));
    const leftOut = new Map([
      ['written again', copied.size],
      ['withdrawn by a rewind', withdrawn.size],
    ]);
    return { turns: withoutIdleCommands(shown), leftOut };
  }

  #read(line: Fields): SessionLine {
    const { type } = line;
    if (type === 'summary')
      return { programTitle: this.#seen.has(toText(line['leafUuid'])) ? toText(line['summary']) : '' };
    if (type === 'custom-title') return { title: toText(line['customTitle']) };
    if (type === 'ai-title') return { programTitle: toText(line['aiTitle']) };
    if (line['isSidechain'] === true || toText(line['parent_tool_use_id']) !== '') return { leftOut: 'of subagents' };
    if (line['isMeta'] === true) return ofProgram;
    const { content } = toObject(line['message']);
    if (type === 'assistant') return this.#answer(content);
    if (type === 'result') return this.#result(toText(line['result']));
    if (type === 'user') return line['isCompactSummary'] === true ? summary(content) : this.#message(line, content);
    if (type === 'system' && line['subtype'] === 'local_command') return this.#prompt(line['content']);
    return this.#queued(line) ?? { leftOut: toText(type) || 'of no type' };
  }

  #answer(content: unknown): SessionLine {
    this.#queue.answered();
    const turns = turnsOf(assistant, content);
    this.#lastText = turns.findLast(({ text }) => text.trim() !== '')?.text ?? this.#lastText;
    return { turns };
  }

  /** The last line of the output, with the last text again. */
  #result(text: string): SessionLine {
    return text.trim() === this.#lastText.trim() ? repeated : { turns: [{ speaker: assistant, text }] };
  }

  /** With `--replay-user-messages` the output contains the prompts, which a host may have written before. */
  #message(line: Fields, content: unknown): SessionLine {
    const key = keyOf(content);
    const isReplayed = line['isReplay'] === true && this.#prompts.has(key);
    if (key !== '') this.#prompts.add(key);
    return isReplayed ? repeated : this.#prompt(content);
  }

  #queued(line: Fields): SessionLine | undefined {
    if (line['type'] === 'attachment') return this.#queue.attached(toObject(line['attachment']));
    return line['type'] === 'queue-operation' ? this.#queue.changed(line) : undefined;
  }

  #prompt(content: unknown): SessionLine {
    return this.#queue.isRepeated(content) ? repeated : typed(content);
  }
}

const summary = (content: unknown): SessionLine => ({ turns: turnsOf('Summary', content) });

/** Records of prompts of one text that lack the other record yet. */
interface Unpaired {
  /** The turns of prompts removed from the queue. */
  readonly removed: { text: string }[][];
  attached: number;
  /** The answers before the last of them: if queued again after a further one, another prompt begins. */
  answers: number;
}

/**
 * Prompts typed while Claude works. One that it takes up is recorded as an attachment, as removed from the queue, or
 * as both, in any order; rarely as a message, too. Equal prompts are told apart by their number.
 */
class PromptQueue {
  readonly #unpaired = new Map<string, Unpaired>();
  /** Prompts taken up since the last other message, and not queued again. */
  readonly #takenUp = new Set<string>();
  #answers = 0;

  answered(): void {
    this.#answers++;
  }

  /** An attachment; undefined if it is no prompt. Replaces the removed one, as it also has pictures. */
  attached({ type, commandMode, prompt, origin, isMeta }: Fields): SessionLine | undefined {
    if (type !== 'queued_command') return undefined;
    const isNotice = [commandMode, toObject(origin)['kind']].includes('task-notification');
    if (isNotice || isMeta === true) return ofProgram;
    const unpaired = this.#take(keyOf(prompt));
    const removed = unpaired.removed.pop();
    if (removed === undefined) unpaired.attached++;
    for (const turn of removed ?? []) turn.text = '';
    return typed(prompt);
  }

  /** An operation on the queue; undefined if it is no prompt. */
  changed({ operation, reason, content }: Fields): SessionLine | undefined {
    const key = keyOf(content);
    if (operation === 'enqueue') this.#queue(key);
    if (operation !== 'remove' || reason !== 'absorbed_mid_turn' || key === '') return undefined;
    const unpaired = this.#take(key);
    if (unpaired.attached > 0) {
      unpaired.attached--;
      return { turns: [] };
    }
    const line = typed(content);
    if (!('turns' in line)) return line;
    const turns = line.turns.map((turn) => ({ ...turn }));
    unpaired.removed.push(turns);
    return { turns };
  }

  #queue(key: string): void {
    this.#takenUp.delete(key);
    if ((this.#unpaired.get(key)?.answers ?? this.#answers) < this.#answers) this.#unpaired.delete(key);
  }

  #take(key: string): Unpaired {
    this.#takenUp.add(key);
    const unpaired = this.#unpaired.get(key) ?? { removed: [], attached: 0, answers: 0 };
    unpaired.answers = this.#answers;
    this.#unpaired.set(key, unpaired);
    return unpaired;
  }

  /** Whether a message repeats a prompt that was taken up. */
  isRepeated(content: unknown): boolean {
    const key = keyOf(content);
    if (key === '') return false;
    if (this.#takenUp.delete(key)) return true;
    this.#takenUp.clear();
    return false;
  }
}

/** The words of a prompt, without pictures and spacing. */
const keyOf = (content: unknown): string =>
  (typeof content === 'string' ? [content] : toArray(content).map((block) => toText(toObject(block)['text'])))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Tags around texts in the user's name. */
const tags: ReadonlySet<string> = new Set([
  'bash-input',
  'bash-stderr',
  'bash-stdout',
  'command-args',
  'command-contents',
  'command-message',
  'command-name',
  'ide_diagnostics',
  'ide_opened_file',
  'ide_selection',
  'local-command-caveat',
  'local-command-stderr',
  'local-command-stdout',
  'new-diagnostics',
  'post-tool-use-hook',
  'session-start-hook',
  'system-reminder',
  'task-notification',
  'user-memory-input',
  'user-prompt-submit-hook',
]);

/** A message in the user's name. */
function typed(content: unknown): SessionLine {
  const turns = turnsOf(you, content).flatMap((turn) => (turn.speaker === you ? typedTurns(turn.text) : [turn]));
  return turns.some(({ text }) => text.trim() !== '') || turns.length === 0 ? { turns } : ofProgram;
}

function typedTurns(text: string): readonly Turn[] {
  const { blocks, words } = unwrapped(text, tags);
  const inside = (tag: string) => (blocks.get(tag) ?? '').trim();
  const [name, args] = [inside('command-name'), inside('command-args')];
  const [bash, memory] = [inside('bash-input'), inside('user-memory-input')];
  return [
    { text: [name.replace(/^(?=[^/])/, '/'), args].join(' ').trim(), isBareCommand: args === '' },
    { text: bash && `!${unescaped(bash)}` },
    { text: memory && `#${memory}` },
    { text: toolResult(unescaped(inside('bash-stdout') + inside('bash-stderr'))) },
    { text: words },
  ].map((turn) => ({ speaker: you, ...turn }));
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const unescaped = (text: string) => text.replace(/&(lt|gt|amp);/g, (entity) => entities[entity] ?? entity);

/** Leaves out commands without words that Claude does not answer, such as /clear and /exit. */
const withoutIdleCommands = (turns: readonly Turn[]) =>
  turns.filter(({ isBareCommand }, at) => !isBareCommand || turns[at + 1]?.speaker === assistant);

function turnsOf(speaker: string, content: unknown): readonly Turn[] {
  if (typeof content === 'string') return [{ speaker, text: content }];
  return toArray(content).map((element) => {
    const block = toObject(element);
    return { speaker: block['type'] === 'tool_result' ? assistant : speaker, text: blockText(block) };
  });
}

function blockText(block: Fields): string {
  switch (block['type']) {
    case 'thinking':
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return toolCall(toText(block['name']), block['input']);
    case 'tool_result':
      return toolResult(blockTexts(block['content']));
    case 'text':
    case 'image':
    case 'document':
      return blockTexts([block]);
    default:
      return asJson(block);
  }
}
