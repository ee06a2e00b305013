/** Chats with assistants in editors and on the command line: each file is a session, and becomes one note. */
import { isObject, tryParseJson } from '../../../core/json/json.ts';
import type { NoteFormat } from '../../note-format.ts';
import { type NumberedLine, streamNumberedLineBatches } from '../../numbered-line-batches.ts';
import { createBadRecord, type ReadRecord } from '../../record.ts';
import {
  readFileText,
  readSourceFileText,
  type Source,
  type SourceFile,
  streamRecordsOfMatchingFiles,
} from '../../source.ts';
import { tryParseBoundedJson } from '../../untyped-values.ts';
import { streamDecompressedZstd } from '../../zstd.ts';
import { ChatSession, type SessionPlace } from './chat-session.ts';
import { findLinesOfCodexObject } from './codex.ts';
import { tryCreateChatgptOrClaudeRecord } from './conversation-formats.ts';
import { createVscodeChatRecord } from './vscode-chat.ts';

/** A file with one object is a VS Code chat, or a session of Codex before June 2025. */
const objectFile = /(^|\/)([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|rollout-[^/]+)\.json$/;
/** Codex compresses sessions after a week. */
const sessionFile = new RegExp(`\\.jsonl(\\.zst)?$|${objectFile.source}`);
/** Names given by programs: a continued session keeps its file, a resumed one may get another. */
const sessionName =
  /(^|\/)(rollout-[^/]+|agent-[^/]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(\.jsonl|\.jsonl\.zst|\.json)$/;

/** The file of a session of the command line of Copilot. */
const copilotFile = /(^|\/)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\/events\.jsonl$/;

export const editorChatsFormat: NoteFormat = {
  name: 'editor-chats',
  description: 'chats with Claude Code, Codex or Copilot: a file, or the folder of them',
  readsEachFile: true,
  toleratesOtherFiles: true,
  recognizes: (source, head) =>
    source.files.some((file) => (sessionFile.test(file) && sessionName.test(file)) || copilotFile.test(file)) ||
    (/^\ufeff?\s*\{/.test(head) && looksLikeSession(head)),
  streamRecords: (source) =>
    streamRecordsOfMatchingFiles(source, sessionFile, (file) => streamSessionFileRecords(file, source)),
};

function looksLikeSession(head: string): boolean {
  const hasType = (types: string) => new RegExp(`"type"\\s*:\\s*"(${types})"`).test(head);
  const isClaudeCode =
    /"(sessionId|session_id|parentUuid|leafUuid)"\s*:/.test(head) && hasType('user|assistant|summary|result');
  const isCodex = /"payload"\s*:/.test(head) && hasType('session_meta|response_item|event_msg');
  const isVscode = /"requests"\s*:\s*\[/.test(head) && /"(responderUsername|creationDate)"\s*:/.test(head);
  const isCodexItem = hasType('message') && hasType('input_text|output_text');
  const isCopilot = /"data"\s*:\s*\{/.test(head) && hasType('session\\.start|user\\.message|assistant\\.message');
  return isVscode || isClaudeCode || isCodex || isCodexItem || isCopilot;
}

/** Yields the note of a file, and what of the file is unusable or left out. */
async function* streamSessionFileRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  if (isTranscriptOfStoredChat(file.name, source))
    return yield { kind: 'left out', location: file.name, reason: 'It is a transcript of a chat that is read' };
  if (file.name.endsWith('.json')) return yield* streamObjectFileRecords(file);
  const session = new ChatSession();
  let isAtEnd = false;
  async function* streamSessionChunks() {
    yield* file.name.endsWith('.zst') ? streamDecompressedZstd(file.name, file.streamChunks()) : file.streamChunks();
    isAtEnd = true;
  }
  for await (const lines of streamNumberedLineBatches(streamSessionChunks())) {
    for (const line of lines) {
      const reason = addLineOrReturnReason(line, session);
      if (reason !== undefined) yield createBadOrUnfinishedLineRecord(line, reason, file.name, isAtEnd);
    }
  }
  yield* session.iterateRecords({ ...toSessionPlace(file), title: await tryReadCopilotTitle(file, source) });
}

/** Adds a line to the session, unless it is blank. Returns why it is unusable. */
function addLineOrReturnReason(line: NumberedLine, session: ChatSession): string | undefined {
  if ('reason' in line) return line.reason;
  return /\S/.test(line.text) ? session.addTextOrReturnReason(line.text) : undefined;
}

/** Reports a line that is unusable. Only a line without a line end comes after the end: it may still be written. */
function createBadOrUnfinishedLineRecord(
  line: NumberedLine,
  reason: string,
  fileName: string,
  isAtEnd: boolean,
): ReadRecord {
  const location = `line ${line.number} of ${fileName}`;
  const isUnfinished = isAtEnd && ('reason' in line || tryParseJson(line.text) === undefined);
  return isUnfinished
    ? { kind: 'left out', location, reason: unfinished, count: 0 }
    : createBadRecord(location, reason);
}

const unfinished = 'Its end is missing, as if the program were still writing it. The next import reads it';

const vscodeTranscript = /(^|\/)GitHub\.copilot-chat\/transcripts\/([^/]+)\.jsonl$/;

const toSessionPlace = ({ name, modifiedAt }: SourceFile): SessionPlace => ({
  location: name,
  modifiedAt,
  name: sessionName.exec(name)?.[2],
  program: vscodeTranscript.test(name) ? 'vscode' : undefined,
});

/**
 * Whether a file is the transcript of a chat that is read anyway. VS Code stores a chat as it shows it, and beside it a
 * transcript.
 */
function isTranscriptOfStoredChat(name: string, { files, siblings = files }: Source): boolean {
  const id = vscodeTranscript.exec(name)?.[2];
  const isChatFile = (file: string) =>
    file.endsWith(`hatSessions/${id}.json`) || file.endsWith(`hatSessions/${id}.jsonl`);
  return id !== undefined && siblings.some(isChatFile);
}

/**
 * Reads the title of a session that Copilot's command line stores beside its events. Returns undefined if there is
 * none.
 */
async function tryReadCopilotTitle({ name }: SourceFile, source: Source): Promise<string | undefined> {
  const { files, siblings = files } = source;
  const path = name.replace(/(?<=(^|\/))events\.jsonl$/, 'workspace.yaml');
  if (path === name || !siblings.includes(path)) return undefined;
  const text = await readSourceFileText(source, path);
  const findValue = (key: string) => new RegExp(`^${key}: *(.+)$`, 'm').exec(text)?.[1]?.trim();
  return findValue('name') ?? findValue('summary');
}

async function* streamObjectFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const object = tryParseBoundedJson(await readFileText(file));
  if (!isObject(object)) return yield createBadRecord(name, 'Must be a JSON object');
  const lines = findLinesOfCodexObject(object);
  if (lines === undefined) {
    const record = tryCreateChatgptOrClaudeRecord(name, object, modifiedAt); // a file of it may have such a name, too
    return yield record ?? createVscodeChatRecord(name, object, modifiedAt);
  }
  const session = new ChatSession();
  for (const line of lines) session.addLineOrReturnReason(line);
  yield* session.iterateRecords(toSessionPlace(file));
}
