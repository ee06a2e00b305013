import { type Fields, isObject } from '../../core/json/json.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, type ReadRecord } from '../record.ts';
import { stripByteOrderMark } from '../text-encoding.ts';
import { findFirstText, toObject, toText, tryParseBoundedJson, tryParseTimestamp } from '../untyped-values.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { SessionLine, SessionProgram, SessionReader } from './session-program.ts';
import { findOpeningText, formatTranscript, type Turn } from './transcript.ts';
import { ChatLog, createVscodeChatRecord, isChangeLine } from './vscode-chat.ts';

const programs: readonly SessionProgram[] = [copilot, claudeCode, codex];

/** Where a session is stored. */
export interface SessionPlace {
  readonly location: string;
  readonly modifiedAt: Date;
  /** The name that the program gave the file, if it tells sessions apart. */
  readonly name?: string | undefined;
  /** The title that the program stores beside the session. */
  readonly title?: string | undefined;
  /** The program in the key of its origin, if its lines do not tell. */
  readonly program?: string | undefined;
}

const subagentReason = 'It is a session of a subagent or of the program itself';

/** Makes a note of the lines of a session. The first line that a program knows tells which one wrote it. */
export class ChatSession {
  readonly #turns: Turn[] = [];
  readonly #chat = new ChatLog();
  readonly #leftOut = new Map<string, number>();
  #program: SessionProgram | undefined;
  #reader: SessionReader | undefined;
  #title: string | undefined;
  #programTitle: string | undefined;
  #createdAt: string | undefined;
  /** The time of the last message; lines about the session may be later. */
  #updatedAt: string | undefined;
  #id = '';
  #isSubagent = false;

  /** Adds a line. Returns why it is unusable. */
  validateAndAddTextLine(text: string): string | undefined {
    const fields = tryParseBoundedJson(stripByteOrderMark(text));
    return isObject(fields) ? this.validateAndAddParsedLine(fields) : 'Must be a JSON object';
  }

  /** Adds a parsed line. Returns why it is unusable. */
  validateAndAddParsedLine(line: Fields): string | undefined {
    if (isChangeLine(line))
      return this.#chat.tryApplyChange(line) ? undefined : 'It changes a value that does not exist';
    this.#program ??= programs.find((program) => program.recognizesLine(line));
    this.#reader ??= this.#program?.createReader();
    this.#id ||= this.#reader?.findSessionIdOrEmpty(line) ?? '';
    const read = this.#reader?.interpretLine(line) ?? { leftOut: toText(line['type']) || 'of no type' };
    this.#addSessionLine(read, tryParseTimestamp(line['timestamp']));
    return undefined;
  }

  #addSessionLine(line: SessionLine, time: string | undefined): void {
    this.#createdAt ??= time;
    if ('title' in line) this.#title = line.title || this.#title;
    else if ('programTitle' in line) this.#programTitle = line.programTitle || this.#programTitle;
    else if ('leftOut' in line) this.#countLeftOut(line.leftOut, 1);
    else if ('isSubagent' in line) this.#isSubagent = true;
    else {
      for (const turn of line.turns) if (turn.text.trim() !== '') this.#turns.push(turn);
      if (time !== undefined && !(this.#updatedAt !== undefined && this.#updatedAt > time)) this.#updatedAt = time;
    }
  }

  #countLeftOut(kind: string, count: number): void {
    if (count > 0) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + count);
  }

  /** The note of the session, if it has messages, and what is left out of it. */
  *createRecords(place: SessionPlace): Generator<ReadRecord, void, void> {
    const { location, modifiedAt } = place;
    if (this.#chat.state !== undefined)
      return yield createVscodeChatRecord(location, toObject(this.#chat.state), modifiedAt);
    if (this.#isSubagent) return yield { kind: 'left out', location, reason: subagentReason };
    const spoken = this.#turns.filter(({ text }) => text.trim() !== ''); // a later line may have emptied one
    const { turns, leftOut = new Map() } = this.#reader?.selectShownTurns(spoken) ?? { turns: [] };
    for (const [kind, count] of leftOut) this.#countLeftOut(kind, count);
    const kinds = Array.from(this.#leftOut, ([kind, count]) => `${count} ${kind}`).join(', ');
    const others =
      turns.length === 0 ? 'It has no messages, but other lines' : 'Lines that are not part of the conversation';
    if (kinds) yield { kind: 'left out', location, reason: `${others}: ${kinds}`, count: turns.length === 0 ? 1 : 0 };
    else if (turns.length === 0) yield { kind: 'left out', location, reason: 'It has no messages' };
    if (turns.length > 0) yield this.#createNoteRecord(place, turns);
  }

  #createNoteRecord({ location, modifiedAt, name, title, program }: SessionPlace, turns: readonly Turn[]): ReadRecord {
    return createForeignRecord(location, {
      title: findFirstText(this.#title, title, this.#programTitle, findOpeningText(turns)),
      content: formatTranscript(turns),
      category: 'editor-chats',
      color: 'accent',
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      otherwise: modifiedAt,
      origin: tryCreateOriginKey(program ?? this.#program?.name ?? '', name ?? this.#id),
    });
  }
}
