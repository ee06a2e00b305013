/**
 * A chat of Cursor as its menu Export Transcript writes it, `cursor_<title>.md`: a heading, `_Exported on 7/8/2025 at
 * 19:03:40 PDT from Cursor (1.2.1)_`, and the messages after `---` and `**User**` or `**Cursor**`. Seen in exports of
 * versions 0.50 to 3.13 in public repositories.
 *
 * Brought: the title and all messages, in the form of other chats. Left out: the time of the export, whose order of day
 * and month depends on the machine; the times are those of the file.
 */

import type { NoteFormat } from '../../note-format.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { readFileText, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { formatTranscript, joinNonBlankParagraphs, type Turn, userSpeaker } from './transcript.ts';

const heading = /^\ufeff?# ([^\n]*)\n_Exported on [^\n]* from Cursor\b[^\n]*_\n/;
const chatFile = /(^|[\\/])cursor_[^\\/]+\.md$/i;

export const cursorFormat: NoteFormat = {
  name: 'cursor',
  description: 'chats of Cursor, as Export Transcript writes them: a Markdown file, or a folder of them',
  isKnownByEnding: true,
  readsEachFile: true,
  recognizes: ({ files, name }, head) =>
    files.length === 0
      ? /\.md$/i.test(name) && heading.test(head.replaceAll('\r\n', '\n'))
      : files.every((file) => chatFile.test(file)),
  streamRecords: (source) =>
    streamRecordsOfMatchingFiles(source, /\.md$/i, (file) => streamCursorFileRecords(file, source)),
};

async function* streamCursorFileRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const text = (await readFileText(file)).replaceAll('\r\n', '\n');
  const [titleLines = '', title = ''] = heading.exec(text) ?? [];
  const { turns, before } = splitIntoTurnsAndTextBefore(text.slice(titleLines.length));
  yield createRecordFromForeignNote(file.name, {
    title,
    content: joinNonBlankParagraphs([before, formatTranscript(turns)]),
    category: 'editor-chats',
    color: 'accent',
    updatedAt: file.modifiedAt.toISOString(),
    otherwise: file.modifiedAt,
    origin: source.findOriginKey?.(source.files.length === 0 ? undefined : file.name),
    isFile: true,
  });
}

const speakers: Readonly<Record<string, string>> = { User: userSpeaker, Cursor: 'Cursor' };

const ruledSpeaker = /\n---\n+\*\*(User|Cursor)\*\*\n\n/;
/** Programs that save chats of Cursor in this form write no rules. */
const plainSpeaker = /\n\*\*(User|Cursor)\*\*\n\n/;

/**
 * Splits a chat at the lines that name a speaker. A message ends where the next one begins, as it may hold rules of its
 * own.
 */
function splitIntoTurnsAndTextBefore(text: string): { readonly turns: readonly Turn[]; readonly before: string } {
  const [before = '', ...parts] = text.split(ruledSpeaker.test(text) ? ruledSpeaker : plainSpeaker);
  const turns: Turn[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const message = (parts[at + 1] ?? '').replace(/\n+(---\s*)?$/, '');
    turns.push({ speaker: speakers[parts[at] ?? ''] ?? userSpeaker, text: message });
  }
  return { turns, before: before.trim() };
}
