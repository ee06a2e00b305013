/** Chats with assistants in editors and on the command line: each file is a session, and becomes one note. */
import { isObject, tryParseJson } from '../../core/json/json.ts';
import { readLineBatches } from '../lines.ts';
import type { NoteFormat } from '../note-format.ts';
import { createBadRecord, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, readSourceText, type Source, type SourceFile } from '../source.ts';
import { tryParseBoundedJson } from '../untyped-values.ts';
import { decompressZstd } from '../zstd.ts';
import { ChatSession, type SessionPlace } from './chat-session.ts';
import { findLinesOfCodexObject } from './codex.ts';
import { tryCreateConversationRecord } from './conversations.ts';
import { createVscodeChatRecord } from './vscode-chat.ts';

/** One object: a VS Code chat, or a session of Codex before June 2025. */
const objectFile = /(^|\/)([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|rollout-[^/]+)\.json$/;
/** Codex compresses sessions after a week. */
const sessionFile = new RegExp(`\\.jsonl(\\.zst)?$|${objectFile.source}`);
/** Names given by programs: a continued session keeps its file, a resumed one may get another. */
const sessionName =
  /(^|\/)(rollout-[^/]+|agent-[^/]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(\.jsonl|\.jsonl\.zst|\.json)$/;

/** Of the command line. */
const copilotFile = /(^|\/)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\/events\.jsonl$/;

export const editorChatsFormat: NoteFormat = {
  name: 'editor-chats',
  description: 'chats with Claude Code, Codex or Copilot: a file, or the folder of them',
  readsEachFile: true,
  toleratesOtherFiles: true,
  recognizes: (source, head) =>
    source.files.some((file) => (sessionFile.test(file) && sessionName.test(file)) || copilotFile.test(file)) ||
    (/^\ufeff?\s*\{/.test(head) && looksLikeSession(head)),
  read: (source) => readEachMatchingFile(source, sessionFile, (file) => readSessionRecords(file, source)),
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

/** Reads one note per file. */
async function* readSessionRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  if (isCopyOfStoredChat(file.name, source))
    return yield { kind: 'left out', location: file.name, reason: 'It is a transcript of a chat that is read' };
  if (file.name.endsWith('.json')) return yield* readObjectFileRecords(file);
  const session = new ChatSession();
  let isAtEnd = false;
  async function* readSessionChunks() {
    yield* file.name.endsWith('.zst') ? decompressZstd(file.name, file.readChunks()) : file.readChunks();
    isAtEnd = true;
  }
  for await (const lines of readLineBatches(readSessionChunks())) {
    for (const line of lines) {
      const location = `line ${line.number} of ${file.name}`;
      const reason = 'reason' in line ? line.reason : /\S/.test(line.text) && session.validateAndAddTextLine(line.text);
      // After the end comes only a line without a line end, which the program may still be writing.
      const isUnfinished = isAtEnd && ('reason' in line || tryParseJson(line.text) === undefined);
      if (reason)
        yield isUnfinished
          ? { kind: 'left out', location, reason: unfinished, count: 0 }
          : createBadRecord(location, reason);
    }
  }
  yield* session.createRecords({ ...toSessionPlace(file), title: await tryReadCopilotTitle(file, source) });
}

const unfinished = 'Its end is missing, as if the program were still writing it. The next import reads it';

const vscodeTranscript = /(^|\/)GitHub\.copilot-chat\/transcripts\/([^/]+)\.jsonl$/;

const toSessionPlace = ({ name, modifiedAt }: SourceFile): SessionPlace => ({
  location: name,
  modifiedAt,
  name: sessionName.exec(name)?.[2],
  program: vscodeTranscript.test(name) ? 'vscode' : undefined,
});

/** VS Code stores a chat as it shows it, and beside it a transcript. */
function isCopyOfStoredChat(name: string, { files, siblings = files }: Source): boolean {
  const id = vscodeTranscript.exec(name)?.[2];
  const isChatFile = (file: string) =>
    file.endsWith(`hatSessions/${id}.json`) || file.endsWith(`hatSessions/${id}.jsonl`);
  return id !== undefined && siblings.some(isChatFile);
}

/** Copilot's command line stores the name of a session beside its events. */
async function tryReadCopilotTitle({ name }: SourceFile, source: Source): Promise<string | undefined> {
  const { files, siblings = files } = source;
  const path = name.replace(/(?<=(^|\/))events\.jsonl$/, 'workspace.yaml');
  if (path === name || !siblings.includes(path)) return undefined;
  const text = await readSourceText(source, path);
  const findValue = (key: string) => new RegExp(`^${key}: *(.+)$`, 'm').exec(text)?.[1]?.trim();
  return findValue('name') ?? findValue('summary');
}

async function* readObjectFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const object = tryParseBoundedJson(await readFileText(file));
  if (!isObject(object)) return yield createBadRecord(name, 'Must be a JSON object');
  const lines = findLinesOfCodexObject(object);
  if (lines === undefined) {
    const record = tryCreateConversationRecord(name, object, modifiedAt); // a file of it may have such a name, too
    return yield record ?? createVscodeChatRecord(name, object, modifiedAt);
  }
  const session = new ChatSession();
  for (const line of lines) session.validateAndAddParsedLine(line);
  yield* session.createRecords(toSessionPlace(file));
}
