import { type Fields, isObject } from '../../../core/json/json.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { stripByteOrderMark } from '../../text-encoding.ts';
import {
  getFirstNonBlankOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
  tryParseBoundedJson,
} from '../../untyped-values.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { InterpretedLine, SessionInterpreter, SessionProgram } from './session-program.ts';
import { formatTranscript, getFirstUserOrAnyTextOrEmpty, type Turn } from './transcript.ts';
import { ChatLog, createVscodeChatRecord, isChatChangeLine } from './vscode-chat.ts';

const programs: readonly SessionProgram[] = [copilot, claudeCode, codex];

/** Says where a session is stored, and what is known from there. */
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

/**
 * Collects the lines of a session, and makes a note of them. The first line that a program recognizes tells which
 * program wrote it.
 */
export class ChatSession {
  readonly #turns: Turn[] = [];
  readonly #chat = new ChatLog();
  readonly #leftOut = new Map<string, number>();
  #program: SessionProgram | undefined;
  #interpreter: SessionInterpreter | undefined;
  #title: string | undefined;
  #programTitle: string | undefined;
  #createdAt: string | undefined;
  /** The time of the last message; lines about the session may be later. */
  #updatedAt: string | undefined;
  #id = '';
  #isSubagent = false;

  /** Adds a line. Returns why it is unusable, or undefined. */
  addTextOrReturnReason(text: string): string | undefined {
    const fields = tryParseBoundedJson(stripByteOrderMark(text));
    return isObject(fields) ? this.addLineOrReturnReason(fields) : 'Must be a JSON object';
  }

  /** Adds a parsed line. Returns why it is unusable, or undefined. */
  addLineOrReturnReason(line: Fields): string | undefined {
    if (isChatChangeLine(line))
      return this.#chat.tryApplyChange(line) ? undefined : 'It changes a value that does not exist';
    this.#program ??= programs.find((program) => program.recognizesLine(line));
    this.#interpreter ??= this.#program?.createInterpreter();
    this.#id ||= this.#interpreter?.getSessionIdOfLineOrEmpty(line) ?? '';
    const read = this.#interpreter?.interpretNextLine(line) ?? { leftOut: toTextOrEmpty(line['type']) || 'of no type' };
    this.#addInterpretedLine(read, tryConvertToIsoTime(line['timestamp']));
    return undefined;
  }

  #addInterpretedLine(line: InterpretedLine, time: string | undefined): void {
    this.#createdAt ??= time;
    if ('title' in line) this.#title = line.title || this.#title;
    else if ('programTitle' in line) this.#programTitle = line.programTitle || this.#programTitle;
    else if ('leftOut' in line) addCountOfKind(this.#leftOut, line.leftOut, 1);
    else if ('isSubagent' in line) this.#isSubagent = true;
    else this.#addTurns(line.turns, time);
  }

  /** Adds the turns that are not blank. `time` is that of their line. */
  #addTurns(turns: readonly Turn[], time: string | undefined): void {
    for (const turn of turns) if (turn.text.trim() !== '') this.#turns.push(turn);
    if (time !== undefined && (this.#updatedAt === undefined || time >= this.#updatedAt)) this.#updatedAt = time;
  }

  /** Yields the note of the session, if it has messages, and what is left out of it. */
  *iterateRecords(place: SessionPlace): Generator<ReadRecord, void, void> {
    const { location, modifiedAt } = place;
    if (this.#chat.state !== undefined)
      return yield createVscodeChatRecord(location, toObjectOrEmpty(this.#chat.state), modifiedAt);
    if (this.#isSubagent) return yield { kind: 'left out', location, reason: subagentReason };
    const spoken = this.#turns.filter(({ text }) => text.trim() !== ''); // a later line may have emptied one
    const { turns, leftOut = new Map() } = this.#interpreter?.selectShownTurns(spoken) ?? { turns: [] };
    const counts = new Map(this.#leftOut);
    for (const [kind, count] of leftOut) addCountOfKind(counts, kind, count);
    const leftOutRecord = createLeftOutRecordUnlessComplete(location, counts, turns.length > 0);
    if (leftOutRecord !== undefined) yield leftOutRecord;
    if (turns.length > 0) yield this.#createNoteRecord(place, turns);
  }

  #createNoteRecord({ location, modifiedAt, name, title, program }: SessionPlace, turns: readonly Turn[]): ReadRecord {
    return createRecordFromForeignNote(location, {
      title: getFirstNonBlankOrEmpty(this.#title, title, this.#programTitle, getFirstUserOrAnyTextOrEmpty(turns)),
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

function addCountOfKind(counts: Map<string, number>, kind: string, count: number): void {
  if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
}

/** Says what is left out of a session, such as "2 of subagents"; undefined if that is nothing. */
function createLeftOutRecordUnlessComplete(
  location: string,
  counts: ReadonlyMap<string, number>,
  hasMessages: boolean,
): ReadRecord | undefined {
  const kinds = Array.from(counts, ([kind, count]) => `${count} ${kind}`).join(', ');
  if (!hasMessages) {
    const reason = kinds === '' ? 'It has no messages' : `It has no messages, but other lines: ${kinds}`;
    return { kind: 'left out', location, reason };
  }
  if (kinds === '') return undefined;
  return { kind: 'left out', location, reason: `Lines that are not part of the conversation: ${kinds}`, count: 0 };
}
