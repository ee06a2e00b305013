/**
 * Simplenote's export: a `.zip` with `source/notes.json`, `{activeNotes, trashedNotes}`, and each note as a text file
 * beside it. Based on github.com/Automattic/simplenote-electron, lib/utils/export (`content`, `creationDate`,
 * `lastModified`, `tags`, `markdown`, `pinned`), and github.com/Automattic/simplenote-android, importers.
 *
 * Brought: the text, whose first line is the title, times, tags as a last line; the trash is archived. A remark says
 * which notes were pinned. Left out: people that a note is shared with, addresses of published notes.
 */
import { createInvalidError } from '../../../core/error.ts';
import { type Fields, isObject } from '../../../core/json/json.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, deriveStorableTitleOrEmpty, type ReadRecord } from '../../record.ts';
import { readSourceFileText, type Source } from '../../source.ts';
import { toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty, tryParseBoundedJson } from '../../untyped-values.ts';
import { joinNonBlankParagraphs } from '../chats/transcript.ts';

const exportFile = /(^|\/)source\/notes\.json$/;

export const simplenoteFormat: NoteFormat = {
  name: 'simplenote',
  description: "Simplenote's export: the .zip, its folder or notes.json",
  recognizes: ({ files }, head) =>
    files.some((file) => exportFile.test(file)) ||
    (/^\ufeff?\s*\{/.test(head) && /"(activeNotes|trashedNotes)"\s*:\s*\[/.test(head)),
  streamRecords: streamExportRecords,
};

async function* streamExportRecords(source: Source): AsyncGenerator<ReadRecord, void, void> {
  const path = source.files.find((file) => exportFile.test(file));
  yield* streamNotesFileRecords(source, path);
  for (const file of source.files) {
    if (file !== path) yield { kind: 'left out', location: file, reason: 'It repeats a note of source/notes.json' };
  }
}

async function* streamNotesFileRecords(source: Source, path?: string): AsyncGenerator<ReadRecord, void, void> {
  const name = path ?? source.name;
  const value = tryParseBoundedJson(await readSourceFileText(source, path));
  if (!isObject(value)) throw createInvalidError(`${name} holds no notes of Simplenote: it is no JSON object`);
  for (const [list, archived] of [
    ['activeNotes', false],
    ['trashedNotes', true],
  ] as const) {
    for (const [index, note] of toArrayOrEmpty(value[list]).entries())
      yield createSimplenoteRecord(
        `note ${index + 1} of ${list} in ${name}`,
        toObjectOrEmpty(note),
        archived,
        source.modifiedAt,
      );
  }
}

function createSimplenoteRecord(location: string, note: Fields, archived: boolean, otherwise: Date): ReadRecord {
  const content = toTextOrEmpty(note['content']);
  const tags = toArrayOrEmpty(note['tags']).map(toTextOrEmpty).join(', ');
  const record = createRecordFromForeignNote(location, {
    title: deriveStorableTitleOrEmpty(content),
    content: joinNonBlankParagraphs([content, tags && `Tags: ${tags}`]),
    category: 'notes',
    color: 'neutral',
    archived,
    createdAt: note['creationDate'],
    updatedAt: note['lastModified'],
    otherwise,
    origin: tryCreateOriginKey('simplenote', toTextOrEmpty(note['id'])),
  });
  return record.kind === 'note' && note['pinned'] === true
    ? { ...record, remark: 'It was pinned in Simplenote' }
    : record;
}
