import { type Fields, isObject, parsed } from '../../core/tools/json.ts';
import { withoutMark } from '../json.ts';
import { linesIn } from '../lines.ts';
import { originKey } from '../origin.ts';
import {
  createBadRecord,
  createRecord,
  type Format,
  firstText,
  parseBoundedJson,
  type ReadRecord,
  readEach,
  readFileText,
  type SourceFile,
  toObject,
  toTimestamp,
} from '../record.ts';
import { decompressZstd } from '../zstd.ts';
import { ClaudeCodeLines, withoutIdleCommands } from './claude-code.ts';
import { codexLine, codexLines, isSubagentSession, withoutRepeats } from './codex.ts';
import { conversationRecord } from './conversations.ts';
import { openingOf, type SessionLine, type Turn, transcript } from './transcript.ts';
import { ChatLog, isChange, vscodeChatRecord } from './vscode-chat.ts';

/** One object: a VS Code chat, or a session of Codex before June 2025. */
const objectFile = /(^|\/)([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|rollout-[^/]+)\.json$/;
/** Codex compresses sessions after a week. */
const sessionFile = new RegExp(`\\.jsonl(\\.zst)?$|${objectFile.source}`);
/** Names given by programs: a continued session keeps its file, a resumed one may get another. */
const sessionName =
  /(^|\/)(rollout-[^/]+|agent-[^/]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(\.jsonl|\.jsonl\.zst|\.json)$/;

export const editorChats: Format = {
  name: 'editor-chats',
  description: 'chats with Claude Code, Codex or Copilot in VS Code: a file, or the folder of them',
  isByFile: true,
  recognizes: (source, head) =>
    source.files.some((file) => sessionFile.test(file) && sessionName.test(file)) ||
    (/^\ufeff?\s*\{/.test(head) && looksLikeSession(head)),
  read: (source) => readEach(source, sessionFile, readSession),
};

function looksLikeSession(head: string): boolean {
  const isType = (types: string) => new RegExp(`"type"\\s*:\\s*"(${types})"`).test(head);
  const isClaudeCode = /"(sessionId|parentUuid|leafUuid)"\s*:/.test(head) && isType('user|assistant|summary');
  const isCodex = /"payload"\s*:/.test(head) && isType('session_meta|response_item|event_msg');
  const isVscode = /"requests"\s*:\s*\[/.test(head) && /"(responderUsername|creationDate)"\s*:/.test(head);
  const isCodexItem = isType('message') && isType('input_text|output_text');
  return isVscode || isClaudeCode || isCodex || isCodexItem;
}

/** Reads one note per file. */
async function* readSession(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  if (file.name.endsWith('.json')) return yield* readObject(file);
  const session = new Session();
  let isAtEnd = false;
  async function* chunks() {
    yield* file.name.endsWith('.zst') ? decompressZstd(file.name, file.chunks()) : file.chunks();
    isAtEnd = true;
  }
  for await (const lines of linesIn(chunks())) {
    for (const line of lines) {
      const location = `line ${line.number} of ${file.name}`;
      const reason = 'reason' in line ? line.reason : /\S/.test(line.text) && session.refusal(line.text);
      // After the end comes only a line without a line end, which the program may still be writing.
      const isUnfinished = isAtEnd && ('reason' in line || parsed(line.text) === undefined);
      if (reason)
        yield isUnfinished
          ? { kind: 'left out', location, reason: unfinished, count: 0 }
          : createBadRecord(location, reason);
    }
  }
  yield* session.records(file.name, file.modifiedAt);
}

const unfinished = 'Its end is missing, as if the program were still writing it. The next import reads it';

async function* readObject(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const object = parseBoundedJson(await readFileText(file));
  if (!isObject(object)) return yield createBadRecord(name, 'Must be a JSON object');
  const lines = codexLines(object);
  if (lines === undefined) {
    const record = conversationRecord(name, object, modifiedAt); // a file of it may have such a name, too
    return yield record ?? vscodeChatRecord(name, object, modifiedAt);
  }
  const session = new Session();
  for (const line of lines) session.add(line);
  yield* session.records(name, modifiedAt);
}

const ofSubagent = 'It is a session of a subagent or of the program itself';

class Session {
  readonly #turns: Turn[] = [];
  readonly #chat = new ChatLog();
  readonly #leftOut = new Map<string, number>();
  /** Ids of lines, as resumed sessions repeat lines. */
  readonly #seen = new Set<string>();
  readonly #claudeCode = new ClaudeCodeLines(this.#seen);
  #title: string | undefined;
  #programTitle: string | undefined;
  #createdAt: string | undefined;
  /** The time of the last message; lines about the session may be later. */
  #updatedAt: string | undefined;
  #program = 'claude-code';
  #id = '';
  #isSubagent = false;

  /** Adds a line. Returns why it is unusable. */
  refusal(text: string): string | undefined {
    const fields = parseBoundedJson(withoutMark(text));
    return isObject(fields) ? this.add(fields) : 'Must be a JSON object';
  }

  /** Adds a parsed line. Returns why it is unusable. */
  add(fields: Fields): string | undefined {
    if (isChange(fields)) return this.#chat.apply(fields) ? undefined : 'It changes a value that does not exist';
    const { uuid } = fields;
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return undefined;
    const isCodex = 'payload' in fields || !isClaudeCode(fields);
    if (isCodex) this.#program = 'codex';
    if (isCodex && this.#id === '') this.#isSubagent = isSubagentSession(fields);
    this.#id ||= firstText(fields['sessionId'], toObject(fields['payload'])['id']);
    this.#add(isCodex ? codexLine(fields) : this.#claudeCode.read(fields), toTimestamp(fields['timestamp']));
    return undefined;
  }

  #add(line: SessionLine, time: string | undefined): void {
    this.#createdAt ??= time;
    if ('title' in line) this.#title = line.title || this.#title;
    else if ('programTitle' in line) this.#programTitle = line.programTitle || this.#programTitle;
    else if ('leftOut' in line) this.#leftOut.set(line.leftOut, (this.#leftOut.get(line.leftOut) ?? 0) + 1);
    else {
      for (const turn of line.turns) this.#turns.push(turn);
      if (time !== undefined && !(this.#updatedAt !== undefined && this.#updatedAt > time)) this.#updatedAt = time;
    }
  }

  /** The note of the session, if it has messages, and what is left out of it. */
  *records(location: string, otherwise: Date): Generator<ReadRecord, void, void> {
    if (this.#chat.state !== undefined) return yield vscodeChatRecord(location, toObject(this.#chat.state), otherwise);
    if (this.#isSubagent) return yield { kind: 'left out', location, reason: ofSubagent };
    const spoken = this.#turns.filter(({ text }) => text.trim() !== '');
    const turns = withoutIdleCommands(withoutRepeats(spoken));
    const kinds = Array.from(this.#leftOut, ([kind, count]) => `${count} ${kind}`).join(', ');
    const others = turns.length === 0 ? 'It has no messages. Its lines' : 'Lines that are not part of the conversation';
    if (kinds) yield { kind: 'left out', location, reason: `${others}: ${kinds}`, count: turns.length === 0 ? 1 : 0 };
    else if (turns.length === 0) yield { kind: 'left out', location, reason: 'It has no messages' };
    if (turns.length > 0) yield this.#record(location, otherwise, turns);
  }

  #record(location: string, otherwise: Date, turns: readonly Turn[]): ReadRecord {
    return createRecord(location, {
      title: firstText(this.#title, this.#programTitle, openingOf(turns)),
      content: transcript(turns),
      category: 'editor-chats',
      color: 'accent',
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      otherwise,
      origin: originKey(this.#program, sessionName.exec(location)?.[2] ?? this.#id),
    });
  }
}

const isClaudeCode = (fields: Fields) =>
  ['message', 'sessionId', 'leafUuid', 'snapshot', 'attachment', 'operation'].some((name) => name in fields);
