/**
 * A note of Google Keep, as Google Takeout writes it: `Keep/<title>.json`, with a twin in HTML. Seen in
 * github.com/obsidianmd/obsidian-importer, src/formats/keep/models.ts and tests/keep/notes, and
 * github.com/djsudduth/keep-it-markdown.
 *
 * Brought: title, text or checklist, names of attachments, links, labels as a last line, times; archived and trashed notes
 * are archived, and the color becomes one of ours. A remark says which notes were pinned. Left out: attachments
 * themselves, descriptions of links, people that a note is shared with, the nesting of checklists, which is not exported.
 */

import type { PortableNote } from '../../core/note.ts';
import { type Fields, isObject } from '../../core/tools/json.ts';
import type { NoteFormat } from '../note-format.ts';
import { createOriginKey } from '../origin.ts';
import { createBadRecord, createForeignRecord, type ReadRecord } from '../record.ts';
import { readEachFile, readFileText, type SourceFile } from '../source.ts';
import { findFirstText, parseBoundedJson, toArray, toObject, toText } from '../untyped-values.ts';
import { formatAttachment, joinParagraphs } from './transcript.ts';

export const googleKeepFormat: NoteFormat = {
  name: 'google-keep',
  description: 'notes of Google Keep, the .json files of a takeout',
  recognizes: ({ files, name }, head) =>
    files.length === 0 && (isKeepNote(head) || isHtmlTwin(head) || labelFile.test(name)),
  read: (source) => readEachFile(source, /\.json$/i, readKeepFile),
};

const isKeepNote = (head: string) =>
  /^\ufeff?\s*\{/.test(head) &&
  /"userEditedTimestampUsec"\s*:/.test(head) &&
  /"(isTrashed|isArchived|isPinned)"\s*:/.test(head);

/** The note in HTML. */
const isHtmlTwin = (head: string) =>
  /^\ufeff?\s*<(\?xml|!doctype|html)/i.test(head) && /<div class="note[ "]/.test(head);

const labelFile = /(^|[\\/])Keep[\\/]Labels\.txt$/;

async function* readKeepFile(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const text = await readFileText(file);
  if (isHtmlTwin(text))
    return yield createLeftOutRecord(file, 'Google Keep writes this note as a .json file, too, which is read');
  if (labelFile.test(file.name))
    return yield createLeftOutRecord(file, 'It lists the labels of Google Keep, which are in the notes');
  const note = parseBoundedJson(text);
  yield isObject(note) ? createKeepRecord(file, note) : createBadRecord(file.name, 'Must be a JSON object');
}

const createLeftOutRecord = ({ name }: SourceFile, reason: string): ReadRecord => ({
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
  const title = toText(note['title']).replace(/\s*\n\s*/g, ' ');
  const text = toText(note['textContent']);
  const record = createForeignRecord(name, {
    title: findFirstText(title, text, toObject(toArray(note['listContent'])[0])['text']),
    content: joinParagraphs([text, ...formatExtras(note)]) || title,
    category: 'notes',
    color: colors[toText(note['color'])] ?? 'neutral',
    archived: note['isArchived'] === true || note['isTrashed'] === true,
    createdAt: toMilliseconds(created),
    updatedAt: toMilliseconds(note['userEditedTimestampUsec']),
    otherwise: modifiedAt,
    origin: createOriginKey('google-keep', typeof created === 'number' ? String(created) : ''),
  });
  return record.kind === 'note' && note['isPinned'] === true
    ? { ...record, remark: 'It was pinned in Google Keep' }
    : record;
}

const toMilliseconds = (microseconds: unknown) => (typeof microseconds === 'number' ? microseconds / 1000 : undefined);

/** What a note has beside its text, each as a paragraph. */
function formatExtras(note: Fields): readonly string[] {
  const listFields = (name: string) => toArray(note[name]).map(toObject);
  const items = listFields('listContent').map((item) => formatListItem(item));
  const links = listFields('annotations').map(({ title, url }) => `[${findFirstText(title, url)}](${toText(url)})`);
  const files = listFields('attachments').map(({ filePath, mimetype }) =>
    formatAttachment(findAttachmentKind(toText(mimetype)), toText(filePath)),
  );
  const labels = listFields('labels').map(({ name }) => toText(name));
  return [
    items.join('\n'),
    links.join('\n'),
    files.join('\n'),
    labels.length === 0 ? '' : `Labels: ${labels.join(', ')}`,
  ];
}

/** Further lines of an item are indented, so that they stay a part of it. */
const formatListItem = ({ text, isChecked }: Fields) =>
  `- [${isChecked === true ? 'x' : ' '}] ${toText(text).replaceAll('\n', '\n  ')}`;

function findAttachmentKind(mimetype: string): string {
  if (mimetype.startsWith('image/')) return 'Image';
  return mimetype.startsWith('audio/') ? 'Recording' : 'File';
}
