import { type Fields, isObject, parsed } from '../../shared/json.ts';
import { withoutMark } from '../json.ts';
import { linesIn } from '../lines.ts';
import type { Format, ReadRecord } from '../record.ts';
import { claudeCodeLine } from './claude-code.ts';
import { codexLine } from './codex.ts';
import { fieldsOf, firstText, timeOf } from './fields.ts';
import { readEach, type SourceFile } from './files.ts';
import { recordOf } from './note-record.ts';
import { openingOf, type Turn, transcript } from './transcript.ts';

const sessionFile = /\.jsonl$/;
/** As programs name it: a session that goes on keeps its file, and one that is resumed may get another. */
const sessionName = /(^|\/)(rollout-[^/]+|agent-[^/]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/;

export const editorChats: Format = {
  name: 'editor-chats',
  description: 'chats with Claude Code or Codex in JSONL: a file, or the folder of them',
  isByFile: true,
  recognizes: (source, head) =>
    source.files.some((file) => sessionName.test(file)) || (/^\ufeff?\s*\{/.test(head) && looksLikeSession(head)),
  read: (source) => readEach(source, sessionFile, readSession),
};

function looksLikeSession(head: string): boolean {
  const isType = (types: string) => new RegExp(`"type"\\s*:\\s*"(${types})"`).test(head);
  const isClaudeCode = /"(sessionId|parentUuid|leafUuid)"\s*:/.test(head) && isType('user|assistant|summary');
  const isCodex = /"payload"\s*:/.test(head) && isType('session_meta|response_item');
  return isClaudeCode || isCodex || (isType('message') && isType('input_text|output_text'));
}

/** One note for a file: a session. */
async function* readSession(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const session = new Session();
  for await (const lines of linesIn(file.chunks())) {
    for (const line of lines) {
      const place = `line ${line.number} of ${file.name}`;
      if ('reason' in line) yield { kind: 'bad', place, reason: line.reason };
      else if (/\S/.test(line.text) && !session.take(line.text)) {
        yield { kind: 'bad', place, reason: 'Must be a JSON object' };
      }
    }
  }
  if (session.leftOut !== '') yield { kind: 'left out', place: file.name, reason: session.leftOut };
  if (!session.isEmpty) yield session.record(file.name, file.modifiedAt);
}

class Session {
  readonly #turns: Turn[] = [];
  readonly #leftOut = new Map<string, number>();
  /** Resumed sessions repeat lines. */
  readonly #seen = new Set<string>();
  #title: string | undefined;
  #programTitle: string | undefined;
  #createdAt: string | undefined;
  #updatedAt: string | undefined;
  #program = 'claude-code';
  #id = '';

  /** Whether the line is an object, as all of them are. */
  take(text: string): boolean {
    const fields = parsed(withoutMark(text));
    if (!isObject(fields)) return false;
    const { uuid } = fields;
    if (typeof uuid === 'string' && this.#seen.size === this.#seen.add(uuid).size) return true;
    const isCodex = 'payload' in fields || !isClaudeCode(fields);
    const line = isCodex ? codexLine(fields) : claudeCodeLine(fields, this.#seen);
    if (isCodex) this.#program = 'codex';
    this.#id ||= firstText(fields['sessionId'], fieldsOf(fields['payload'])['id']);
    if ('turns' in line) for (const turn of line.turns) this.#turns.push(turn);
    else if ('title' in line) this.#title = line.title || this.#title;
    else if ('programTitle' in line) this.#programTitle = line.programTitle || this.#programTitle;
    else this.#leftOut.set(line.leftOut, (this.#leftOut.get(line.leftOut) ?? 0) + 1);
    this.#updatedAt = timeOf(fields['timestamp']) ?? this.#updatedAt;
    this.#createdAt ??= this.#updatedAt;
    return true;
  }

  /** Which lines are in no turn, for a person; empty when there are none. */
  get leftOut(): string {
    const kinds = Array.from(this.#leftOut, ([kind, count]) => `${count} ${kind}`).join(', ');
    if (this.#turns.length === 0) return `It has no messages${kinds && `. Its lines: ${kinds}`}`;
    return kinds && `Lines that are no part of the conversation: ${kinds}`;
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  record(place: string, otherwise: Date): ReadRecord {
    return recordOf(place, {
      title: firstText(this.#title, this.#programTitle, openingOf(this.#turns)),
      content: transcript(this.#turns),
      category: 'editor-chats',
      color: 'accent',
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      otherwise,
      origin: [this.#program, sessionName.exec(place)?.[2] ?? this.#id],
    });
  }
}

/** Its lines have a `message`, or say of themselves which session they belong to. */
const isClaudeCode = (fields: Fields) =>
  ['message', 'sessionId', 'leafUuid', 'snapshot'].some((name) => name in fields);
