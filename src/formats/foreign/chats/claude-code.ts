/**
 * A Claude Code session in ~/.claude/projects/<folder>/<session>.jsonl, or the output of `claude -p --output-format
 * stream-json` (code.claude.com/docs/en/headless). Anthropic documents no format of the files. Based
 * on github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md (kinds of lines and blocks),
 * github.com/alosec/claude-editor-hook, memory-bank/03-guides/jsonl-analysis.md (files, `isSidechain`), and fields that
 * other parsers read from lines of 2026: `isMeta`, `isCompactSummary`, `custom-title`, `ai-title`, `queued_command`
 * (github.com/kenn-io/agentsview, issue 401), `queue-operation` (github.com/simonw/claude-code-transcripts, issue 98).
 */

import type { Fields } from '../../../core/json/json.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { ClaudeCodeTree } from './claude-code-tree.ts';
import type { InterpretedLine, SessionInterpreter, SessionProgram, ShownTurns } from './session-program.ts';
import {
  formatAsShortenedJsonBlock,
  formatContentBlocks,
  formatShortenedToolCall,
  formatShortenedToolResultOrEmpty,
  splitIntoInsertedBlocksAndWords,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Claude';
const programLine: InterpretedLine = { leftOut: 'of the program itself' };
const repeatedLine: InterpretedLine = { turns: [] };

/** Fields of lines in files, and of the output of `claude -p --output-format stream-json`. */
const lineFields = ['message', 'sessionId', 'session_id', 'leafUuid', 'snapshot', 'attachment', 'operation'];

export const claudeCode: SessionProgram = {
  name: 'claude-code',
  recognizesLine: (line) => !('payload' in line) && lineFields.some((name) => name in line),
  createInterpreter: () => new ClaudeCodeInterpreter(),
};

class ClaudeCodeInterpreter implements SessionInterpreter {
  /**
   * The ids of the lines so far. Resumed sessions repeat lines, and a file also contains summaries of other sessions.
   */
  readonly #seen = new Set<string>();
  readonly #queue = new PromptQueue();
  readonly #tree = new ClaudeCodeTree();
  /** The last text of Claude, and the prompts so far: the output of the command line repeats them. */
  #lastText = '';
  readonly #prompts = new Set<string>();

  getSessionIdOfLineOrEmpty(line: Fields): string {
    return getFirstNonBlankOrEmpty(line['sessionId'], line['session_id']);
  }

  interpretNextLine(line: Fields): InterpretedLine {
    const { uuid } = line;
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return repeatedLine;
    const read = this.#interpretUnseenLine(line);
    this.#tree.addLineIfInTree(line, 'turns' in read ? read.turns : []);
    return read;
  }

  selectShownTurns(turns: readonly Turn[]): ShownTurns {
    const { copied, withdrawn } = this.#tree.collectCopiedAndWithdrawnTurns();
    const shown = turns.filter((turn) => !copied.has(turn) && !withdrawn.has(turn));
    const leftOut = new Map([
      ['written again', copied.size],
      ['withdrawn by a rewind', withdrawn.size],
    ]);
    return { turns: removeBareCommandsWithoutResponse(shown), leftOut };
  }

  #interpretUnseenLine(line: Fields): InterpretedLine {
    const { type } = line;
    const title = this.#tryInterpretTitle(line);
    if (title !== undefined) return title;
    if (line['isSidechain'] === true || toTextOrEmpty(line['parent_tool_use_id']) !== '')
      return { leftOut: 'of subagents' };
    if (line['isMeta'] === true) return programLine;
    const { content } = toObjectOrEmpty(line['message']);
    if (type === 'assistant') return this.#rememberAndInterpretResponse(content);
    if (type === 'result') return this.#interpretFinalOutputUnlessRepeated(toTextOrEmpty(line['result']));
    if (type === 'user')
      return line['isCompactSummary'] === true
        ? interpretCompactSummary(content)
        : this.#interpretPrompt(line, content);
    if (type === 'system' && line['subtype'] === 'local_command')
      return this.#interpretPromptAndUpdateQueue(line['content']);
    return this.#applyAndTryInterpretQueueLine(line) ?? { leftOut: toTextOrEmpty(type) || 'of no type' };
  }

  /** A file also contains summaries of other sessions: one of this session names a line that was read. */
  #tryInterpretTitle(line: Fields): InterpretedLine | undefined {
    switch (line['type']) {
      case 'summary':
        return { programTitle: this.#seen.has(toTextOrEmpty(line['leafUuid'])) ? toTextOrEmpty(line['summary']) : '' };
      case 'custom-title':
        return { title: toTextOrEmpty(line['customTitle']) };
      case 'ai-title':
        return { programTitle: toTextOrEmpty(line['aiTitle']) };
      default:
        return undefined;
    }
  }

  #rememberAndInterpretResponse(content: unknown): InterpretedLine {
    this.#queue.countResponse();
    const turns = createTurnPerContentBlock(assistant, content);
    this.#lastText = turns.findLast(({ text }) => text.trim() !== '')?.text ?? this.#lastText;
    return { turns };
  }

  /** Interprets the last line of the output, which has the last text again. */
  #interpretFinalOutputUnlessRepeated(text: string): InterpretedLine {
    return text.trim() === this.#lastText.trim() ? repeatedLine : { turns: [{ speaker: assistant, text }] };
  }

  /** With `--replay-user-messages` the output contains the prompts, which a host may have written before. */
  #interpretPrompt(line: Fields, content: unknown): InterpretedLine {
    const key = createPromptKeyOrEmpty(content);
    const isReplayed = line['isReplay'] === true && this.#prompts.has(key);
    if (key !== '') this.#prompts.add(key);
    return isReplayed ? repeatedLine : this.#interpretPromptAndUpdateQueue(content);
  }

  #applyAndTryInterpretQueueLine(line: Fields): InterpretedLine | undefined {
    if (line['type'] === 'attachment') return this.#queue.applyAttachment(toObjectOrEmpty(line['attachment']));
    return line['type'] === 'queue-operation' ? this.#queue.applyOperation(line) : undefined;
  }

  #interpretPromptAndUpdateQueue(content: unknown): InterpretedLine {
    return this.#queue.recordUserMessage(content) ? repeatedLine : interpretTypedContent(content);
  }
}

const interpretCompactSummary = (content: unknown): InterpretedLine => ({
  turns: createTurnPerContentBlock('Summary', content),
});

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
  /**
   * The texts of the prompts that Claude has read since the last message of the user that repeats none. A prompt that
   * is queued again is removed.
   */
  readonly #readPrompts = new Set<string>();
  #responses = 0;

  countResponse(): void {
    this.#responses++;
  }

  /**
   * Interprets the prompt of an attachment, and remembers that Claude has read the prompt. Returns undefined if the
   * attachment has no prompt. If an operation has recorded the prompt before, the turns of the operation are emptied:
   * only the attachment has pictures as well.
   */
  applyAttachment({ type, commandMode, prompt, origin, isMeta }: Fields): InterpretedLine | undefined {
    if (type !== 'queued_command') return undefined;
    const isNotice = [commandMode, toObjectOrEmpty(origin)['kind']].includes('task-notification');
    if (isNotice || isMeta === true) return programLine;
    const unpaired = this.#rememberReadAndGetUnpaired(createPromptKeyOrEmpty(prompt));
    const removed = unpaired.removed.pop();
    if (removed === undefined) unpaired.attached++;
    for (const turn of removed ?? []) turn.text = '';
    return interpretTypedContent(prompt);
  }

  /**
   * Applies an operation on the queue. Returns the turns of the prompt that the operation removes because Claude has
   * read it, and undefined for any other operation.
   */
  applyOperation({ operation, reason, content }: Fields): InterpretedLine | undefined {
    const key = createPromptKeyOrEmpty(content);
    if (operation === 'enqueue') this.#forgetEarlierPrompt(key);
    if (operation !== 'remove' || reason !== 'absorbed_mid_turn' || key === '') return undefined;
    const unpaired = this.#rememberReadAndGetUnpaired(key);
    if (unpaired.attached > 0) {
      unpaired.attached--;
      return { turns: [] };
    }
    const line = interpretTypedContent(content);
    if (!('turns' in line)) return line;
    const turns = line.turns.map((turn) => ({ ...turn }));
    unpaired.removed.push(turns);
    return { turns };
  }

  #forgetEarlierPrompt(key: string): void {
    this.#readPrompts.delete(key);
    if ((this.#unpaired.get(key)?.responses ?? this.#responses) < this.#responses) this.#unpaired.delete(key);
  }

  #rememberReadAndGetUnpaired(key: string): UnpairedPrompts {
    this.#readPrompts.add(key);
    const unpaired = this.#unpaired.get(key) ?? { removed: [], attached: 0, responses: 0 };
    unpaired.responses = this.#responses;
    this.#unpaired.set(key, unpaired);
    return unpaired;
  }

  /**
   * Returns whether a message of the user repeats a queued prompt, which is then forgotten. If it repeats none, Claude
   * has finished, and all prompts are forgotten.
   */
  recordUserMessage(content: unknown): boolean {
    const key = createPromptKeyOrEmpty(content);
    if (key === '') return false;
    if (this.#readPrompts.delete(key)) return true;
    this.#readPrompts.clear();
    return false;
  }
}

/** Creates the key of a prompt: its words, without pictures and spacing. */
const createPromptKeyOrEmpty = (content: unknown): string =>
  (typeof content === 'string'
    ? [content]
    : toArrayOrEmpty(content).map((block) => toTextOrEmpty(toObjectOrEmpty(block)['text']))
  )
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

/** Interprets a message in the user's name, and separates what the program has inserted in it. */
function interpretTypedContent(content: unknown): InterpretedLine {
  const turns = createTurnPerContentBlock(userSpeaker, content).flatMap((turn) =>
    turn.speaker === userSpeaker ? createTurnsOfTypedText(turn.text) : [turn],
  );
  return turns.some(({ text }) => text.trim() !== '') || turns.length === 0 ? { turns } : programLine;
}

function createTurnsOfTypedText(text: string): readonly Turn[] {
  const { blocks, words } = splitIntoInsertedBlocksAndWords(text, insertedTags);
  const getBlockText = (tag: string) => (blocks.get(tag) ?? '').trim();
  const [name, args] = [getBlockText('command-name'), getBlockText('command-args')];
  const [bash, memory] = [getBlockText('bash-input'), getBlockText('user-memory-input')];
  return [
    { text: [name.replace(/^(?=[^/])/, '/'), args].join(' ').trim(), isBareCommand: args === '' },
    { text: bash && `!${unescapeAngleBracketsAndAmpersands(bash)}` },
    { text: memory && `#${memory}` },
    {
      text: formatShortenedToolResultOrEmpty(
        unescapeAngleBracketsAndAmpersands(getBlockText('bash-stdout') + getBlockText('bash-stderr')),
      ),
    },
    { text: words },
  ].map((turn) => ({ speaker: userSpeaker, ...turn }));
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const unescapeAngleBracketsAndAmpersands = (text: string) =>
  text.replace(/&(lt|gt|amp);/g, (entity) => entities[entity] ?? entity);

/** Removes commands without words to which Claude does not respond, such as /clear and /exit. */
const removeBareCommandsWithoutResponse = (turns: readonly Turn[]) =>
  turns.filter(({ isBareCommand }, at) => !isBareCommand || turns[at + 1]?.speaker === assistant);

function createTurnPerContentBlock(speaker: string, content: unknown): readonly Turn[] {
  if (typeof content === 'string') return [{ speaker, text: content }];
  return toArrayOrEmpty(content).map((element) => {
    const block = toObjectOrEmpty(element);
    return {
      speaker: block['type'] === 'tool_result' ? assistant : speaker,
      text: formatClaudeCodeBlockOrEmpty(block),
    };
  });
}

function formatClaudeCodeBlockOrEmpty(block: Fields): string {
  switch (block['type']) {
    case 'thinking':
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return formatShortenedToolCall(toTextOrEmpty(block['name']), block['input']);
    case 'tool_result':
      return formatShortenedToolResultOrEmpty(formatContentBlocks(block['content']));
    case 'text':
    case 'image':
    case 'document':
      return formatContentBlocks([block]);
    default:
      return formatAsShortenedJsonBlock(block);
  }
}
