/**
 * A note of Google Keep, as Google Takeout writes it: `Keep/<title>.json`, and the same note in HTML. Seen in
 * github.com/obsidianmd/obsidian-importer, src/formats/keep/models.ts and tests/keep/notes, and
 * github.com/djsudduth/keep-it-markdown.
 *
 * Brought: title, text or checklist, names of attachments, links, labels as a last line, times; archived and trashed
 * notes are archived, and the color becomes one of ours. A remark says which notes were pinned. Left out: attachments
 * themselves, descriptions of links, people that a note is shared with, the nesting of checklists, which is not
 * exported.
 */

import { type Fields, isObject } from '../../../core/json/json.ts';
import type { PortableNote } from '../../../core/note.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createBadRecord, createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { readFileText, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryParseBoundedJson,
} from '../../untyped-values.ts';
import { formatAttachmentLabel, joinNonBlankParagraphs } from '../chats/transcript.ts';

export const googleKeepFormat: NoteFormat = {
  name: 'google-keep',
  description: 'notes of Google Keep, the .json files of a takeout',
  recognizes: ({ files, name }, head) =>
    files.length === 0 && (looksLikeKeepNoteInJson(head) || looksLikeKeepNoteInHtml(head) || labelFile.test(name)),
  streamRecords: (source) => streamRecordsOfMatchingFiles(source, /\.json$/i, streamKeepFileRecords),
};

const looksLikeKeepNoteInJson = (head: string) =>
  /^\ufeff?\s*\{/.test(head) &&
  /"userEditedTimestampUsec"\s*:/.test(head) &&
  /"(isTrashed|isArchived|isPinned)"\s*:/.test(head);

/** Whether a file is the same note in HTML. */
const looksLikeKeepNoteInHtml = (head: string) =>
  /^\ufeff?\s*<(\?xml|!doctype|html)/i.test(head) && /<div class="note[ "]/.test(head);

const labelFile = /(^|[\\/])Keep[\\/]Labels\.txt$/;

async function* streamKeepFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const text = await readFileText(file);
  if (looksLikeKeepNoteInHtml(text))
    return yield createKeepLeftOutRecord(file, 'Google Keep writes this note as a .json file, too, which is read');
  if (labelFile.test(file.name))
    return yield createKeepLeftOutRecord(file, 'It lists the labels of Google Keep, which are in the notes');
  const note = tryParseBoundedJson(text);
  yield isObject(note) ? createKeepRecord(file, note) : createBadRecord(file.name, 'Must be a JSON object');
}

const createKeepLeftOutRecord = ({ name }: SourceFile, reason: string): ReadRecord => ({
  kind: 'left out',
  location: name,
  reason,
});

const colors: Readonly<Record<string, PortableNote['color']>> = {
  RED: 'error',
  ORANGE: 'warning',
  YELLOW: 'warning',
  GREEN: 'success',
  TEAL: 'accent',
  BLUE: 'info',
  CERULEAN: 'primary',
  PURPLE: 'secondary',
  PINK: 'secondary',
};

function createKeepRecord({ name, modifiedAt }: SourceFile, note: Fields): ReadRecord {
  const created = note['createdTimestampUsec'];
  const title = toTextOrEmpty(note['title']).replace(/\s*\n\s*/g, ' ');
  const text = toTextOrEmpty(note['textContent']);
  const record = createRecordFromForeignNote(name, {
    title: getFirstNonBlankOrEmpty(title, text, toObjectOrEmpty(toArrayOrEmpty(note['listContent'])[0])['text']),
    content: joinNonBlankParagraphs([text, ...listParagraphsBesideText(note)]) || title,
    category: 'notes',
    color: colors[toTextOrEmpty(note['color'])] ?? 'neutral',
    archived: note['isArchived'] === true || note['isTrashed'] === true,
    createdAt: tryConvertToMilliseconds(created),
    updatedAt: tryConvertToMilliseconds(note['userEditedTimestampUsec']),
    otherwise: modifiedAt,
    origin: tryCreateOriginKey('google-keep', typeof created === 'number' ? String(created) : ''),
  });
  return record.kind === 'note' && note['isPinned'] === true
    ? { ...record, remark: 'It was pinned in Google Keep' }
    : record;
}

const tryConvertToMilliseconds = (microseconds: unknown) =>
  typeof microseconds === 'number' ? microseconds / 1000 : undefined;

/** Lists what a note has beside its text, each as a paragraph, which is empty if the note has no such thing. */
function listParagraphsBesideText(note: Fields): readonly string[] {
  const listFields = (name: string) => toArrayOrEmpty(note[name]).map(toObjectOrEmpty);
  const items = listFields('listContent').map((item) => formatChecklistItem(item));
  const links = listFields('annotations').map(
    ({ title, url }) => `[${getFirstNonBlankOrEmpty(title, url)}](${toTextOrEmpty(url)})`,
  );
  const files = listFields('attachments').map(({ filePath, mimetype }) =>
    formatAttachmentLabel(toAttachmentKind(toTextOrEmpty(mimetype)), toTextOrEmpty(filePath)),
  );
  const labels = listFields('labels').map(({ name }) => toTextOrEmpty(name));
  return [
    items.join('\n'),
    links.join('\n'),
    files.join('\n'),
    labels.length === 0 ? '' : `Labels: ${labels.join(', ')}`,
  ];
}

/** Further lines of an item are indented, so that they stay a part of it. */
const formatChecklistItem = ({ text, isChecked }: Fields) =>
  `- [${isChecked === true ? 'x' : ' '}] ${toTextOrEmpty(text).replaceAll('\n', '\n  ')}`;

function toAttachmentKind(mimetype: string): string {
  if (mimetype.startsWith('image/')) return 'Image';
  return mimetype.startsWith('audio/') ? 'Recording' : 'File';
}
