/**
 * A Claude Code session in ~/.claude/projects/<folder>/<session>.jsonl, or the output of `claude -p --output-format
 * stream-json` (code.claude.com/docs/en/headless). Anthropic documents no format of the files. Based
 * on github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md (kinds of lines and blocks),
 * github.com/alosec/claude-editor-hook, memory-bank/03-guides/jsonl-analysis.md (files, `isSidechain`), and fields that
 * other parsers read from lines of 2026: `isMeta`, `isCompactSummary`, `custom-title`, `ai-title`, `queued_command`
 * (github.com/kenn-io/agentsview, issue 401), `queue-operation` (github.com/simonw/claude-code-transcripts, issue 98).
 */

import type { Fields } from '../../core/json/json.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';
import { ClaudeCodeTree } from './claude-code-tree.ts';
import type { FinishedSession, SessionLine, SessionProgram, SessionReader } from './session-program.ts';
import {
  formatAsShortenedJsonBlock,
  formatContentBlocks,
  formatToolCall,
  formatToolResult,
  splitInsertedBlocks,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Claude';
const programLine: SessionLine = { leftOut: 'of the program itself' };
const repeatedLine: SessionLine = { turns: [] };

/** Fields of lines in files, and of the output of `claude -p --output-format stream-json`. */
const lineFields = ['message', 'sessionId', 'session_id', 'leafUuid', 'snapshot', 'attachment', 'operation'];

export const claudeCode: SessionProgram = {
  name: 'claude-code',
  recognizesLine: (line) => !('payload' in line) && lineFields.some((name) => name in line),
  createReader: () => new ClaudeCodeLineReader(),
};

class ClaudeCodeLineReader implements SessionReader {
  /**
   * Ids of the lines so far, as resumed sessions repeat lines, and a file also contains summaries of other sessions.
   */
  readonly #seen = new Set<string>();
  readonly #queue = new PromptQueue();
  readonly #tree = new ClaudeCodeTree();
  /** The last text of Claude, and the prompts so far: the output of the command line repeats them. */
  #lastText = '';
  readonly #prompts = new Set<string>();

  findSessionIdOrEmpty(line: Fields): string {
    return findFirstText(line['sessionId'], line['session_id']);
  }

  interpretLine(line: Fields): SessionLine {
    const { uuid } = line;
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return repeatedLine;
    const read = this.#interpretNewLine(line);
    this.#tree.addLineIfInTree(line, 'turns' in read ? read.turns : []);
    return read;
  }

  selectShownTurns(turns: readonly Turn[]): FinishedSession {
    const { copied, withdrawn } = this.#tree.findCopiedAndWithdrawnTurns();
    const shown = turns.filter((turn) => !copied.has(turn) && !withdrawn.has(turn));
    const leftOut = new Map([
      ['written again', copied.size],
      ['withdrawn by a rewind', withdrawn.size],
    ]);
    return { turns: removeBareCommandsWithoutResponse(shown), leftOut };
  }

  #interpretNewLine(line: Fields): SessionLine {
    const { type } = line;
    if (type === 'summary')
      return { programTitle: this.#seen.has(toText(line['leafUuid'])) ? toText(line['summary']) : '' };
    if (type === 'custom-title') return { title: toText(line['customTitle']) };
    if (type === 'ai-title') return { programTitle: toText(line['aiTitle']) };
    if (line['isSidechain'] === true || toText(line['parent_tool_use_id']) !== '') return { leftOut: 'of subagents' };
    if (line['isMeta'] === true) return programLine;
    const { content } = toObject(line['message']);
    if (type === 'assistant') return this.#interpretResponse(content);
    if (type === 'result') return this.#toResultLine(toText(line['result']));
    if (type === 'user')
      return line['isCompactSummary'] === true ? toSummaryLine(content) : this.#interpretUserMessage(line, content);
    if (type === 'system' && line['subtype'] === 'local_command') return this.#interpretPrompt(line['content']);
    return this.#tryInterpretQueueLine(line) ?? { leftOut: toText(type) || 'of no type' };
  }

  #interpretResponse(content: unknown): SessionLine {
    this.#queue.countResponse();
    const turns = createTurnPerBlock(assistant, content);
    this.#lastText = turns.findLast(({ text }) => text.trim() !== '')?.text ?? this.#lastText;
    return { turns };
  }

  /** The last line of the output, with the last text again. */
  #toResultLine(text: string): SessionLine {
    return text.trim() === this.#lastText.trim() ? repeatedLine : { turns: [{ speaker: assistant, text }] };
  }

  /** With `--replay-user-messages` the output contains the prompts, which a host may have written before. */
  #interpretUserMessage(line: Fields, content: unknown): SessionLine {
    const key = createPromptKey(content);
    const isReplayed = line['isReplay'] === true && this.#prompts.has(key);
    if (key !== '') this.#prompts.add(key);
    return isReplayed ? repeatedLine : this.#interpretPrompt(content);
  }

  #tryInterpretQueueLine(line: Fields): SessionLine | undefined {
    if (line['type'] === 'attachment') return this.#queue.tryAddAttachedPrompt(toObject(line['attachment']));
    return line['type'] === 'queue-operation' ? this.#queue.tryApplyOperation(line) : undefined;
  }

  #interpretPrompt(content: unknown): SessionLine {
    return this.#queue.removeAbsorbedOrForgetAll(content) ? repeatedLine : toTypedLine(content);
  }
}

const toSummaryLine = (content: unknown): SessionLine => ({ turns: createTurnPerBlock('Summary', content) });

/**
 * The records of all prompts with the same text, as far as they have no second record yet. A prompt may have two
 * records: an attachment, and an operation that removes the prompt from the queue.
 */
interface UnpairedPrompts {
  /** For each operation without an attachment, the turns that were made of the operation. */
  readonly removed: { text: string }[][];
  /** The number of attachments without an operation. */
  attached: number;
  /**
   * How many responses Claude had written when the last of these records was read. If the same text is queued after a
   * further response, the user has typed the text again: then these records get no second record any more.
   */
  responses: number;
}

/**
 * The prompts that the user types while Claude works. If Claude reads a prompt before it has finished, Claude Code
 * records the prompt as an attachment, as an operation that removes the prompt from the queue, or as both, in any
 * order. Rarely a message of the user repeats the prompt, too. Several prompts may have the same text: as many of their
 * records are pairs as there are records of both kinds.
 *
 * Example: the lines are attachment "go", removal "go", removal "go". The first two are the records of one prompt, and
 * the third line is the record of another prompt. The conversation has "go" twice.
 */
class PromptQueue {
  readonly #unpaired = new Map<string, UnpairedPrompts>();
  /** The texts of prompts that Claude has read since the last message that was none of them, unless queued again. */
  readonly #absorbed = new Set<string>();
  #responses = 0;

  countResponse(): void {
    this.#responses++;
  }

  /**
   * Adds the prompt of an attachment, and returns its turns; undefined if the attachment has no prompt. If an operation
   * has recorded the prompt before, the turns of the operation are emptied: only the attachment has pictures as well.
   */
  tryAddAttachedPrompt({ type, commandMode, prompt, origin, isMeta }: Fields): SessionLine | undefined {
    if (type !== 'queued_command') return undefined;
    const isNotice = [commandMode, toObject(origin)['kind']].includes('task-notification');
    if (isNotice || isMeta === true) return programLine;
    const unpaired = this.#rememberAbsorbedAndGetUnpaired(createPromptKey(prompt));
    const removed = unpaired.removed.pop();
    if (removed === undefined) unpaired.attached++;
    for (const turn of removed ?? []) turn.text = '';
    return toTypedLine(prompt);
  }

  /**
   * Applies an operation on the queue. Returns the turns of the prompt that the operation removes because Claude has
   * read it; undefined for any other operation.
   */
  tryApplyOperation({ operation, reason, content }: Fields): SessionLine | undefined {
    const key = createPromptKey(content);
    if (operation === 'enqueue') this.#forgetEarlierPrompt(key);
    if (operation !== 'remove' || reason !== 'absorbed_mid_turn' || key === '') return undefined;
    const unpaired = this.#rememberAbsorbedAndGetUnpaired(key);
    if (unpaired.attached > 0) {
      unpaired.attached--;
      return { turns: [] };
    }
    const line = toTypedLine(content);
    if (!('turns' in line)) return line;
    const turns = line.turns.map((turn) => ({ ...turn }));
    unpaired.removed.push(turns);
    return { turns };
  }

  #forgetEarlierPrompt(key: string): void {
    this.#absorbed.delete(key);
    if ((this.#unpaired.get(key)?.responses ?? this.#responses) < this.#responses) this.#unpaired.delete(key);
  }

  #rememberAbsorbedAndGetUnpaired(key: string): UnpairedPrompts {
    this.#absorbed.add(key);
    const unpaired = this.#unpaired.get(key) ?? { removed: [], attached: 0, responses: 0 };
    unpaired.responses = this.#responses;
    this.#unpaired.set(key, unpaired);
    return unpaired;
  }

  /**
   * Forgets the prompt that a message of the user repeats, and returns true. If the message repeats no prompt, Claude
   * has finished: then all prompts are forgotten, and the result is false.
   */
  removeAbsorbedOrForgetAll(content: unknown): boolean {
    const key = createPromptKey(content);
    if (key === '') return false;
    if (this.#absorbed.delete(key)) return true;
    this.#absorbed.clear();
    return false;
  }
}

/** The words of a prompt, without pictures and spacing. */
const createPromptKey = (content: unknown): string =>
  (typeof content === 'string' ? [content] : toArray(content).map((block) => toText(toObject(block)['text'])))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Tags around texts in the user's name. */
const insertedTags: ReadonlySet<string> = new Set([
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
function toTypedLine(content: unknown): SessionLine {
  const turns = createTurnPerBlock(userSpeaker, content).flatMap((turn) =>
    turn.speaker === userSpeaker ? createTypedTurns(turn.text) : [turn],
  );
  return turns.some(({ text }) => text.trim() !== '') || turns.length === 0 ? { turns } : programLine;
}

function createTypedTurns(text: string): readonly Turn[] {
  const { blocks, words } = splitInsertedBlocks(text, insertedTags);
  const getBlockText = (tag: string) => (blocks.get(tag) ?? '').trim();
  const [name, args] = [getBlockText('command-name'), getBlockText('command-args')];
  const [bash, memory] = [getBlockText('bash-input'), getBlockText('user-memory-input')];
  return [
    { text: [name.replace(/^(?=[^/])/, '/'), args].join(' ').trim(), isBareCommand: args === '' },
    { text: bash && `!${unescapeHtml(bash)}` },
    { text: memory && `#${memory}` },
    { text: formatToolResult(unescapeHtml(getBlockText('bash-stdout') + getBlockText('bash-stderr'))) },
    { text: words },
  ].map((turn) => ({ speaker: userSpeaker, ...turn }));
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const unescapeHtml = (text: string) => text.replace(/&(lt|gt|amp);/g, (entity) => entities[entity] ?? entity);

/** Leaves out commands without words that Claude does not answer, such as /clear and /exit. */
const removeBareCommandsWithoutResponse = (turns: readonly Turn[]) =>
  turns.filter(({ isBareCommand }, at) => !isBareCommand || turns[at + 1]?.speaker === assistant);

function createTurnPerBlock(speaker: string, content: unknown): readonly Turn[] {
  if (typeof content === 'string') return [{ speaker, text: content }];
  return toArray(content).map((element) => {
    const block = toObject(element);
    return { speaker: block['type'] === 'tool_result' ? assistant : speaker, text: formatClaudeCodeBlock(block) };
  });
}

function formatClaudeCodeBlock(block: Fields): string {
  switch (block['type']) {
    case 'thinking':
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return formatToolCall(toText(block['name']), block['input']);
    case 'tool_result':
      return formatToolResult(formatContentBlocks(block['content']));
    case 'text':
    case 'image':
    case 'document':
      return formatContentBlocks([block]);
    default:
      return formatAsShortenedJsonBlock(block);
  }
}
