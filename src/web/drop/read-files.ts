/** Reads notes from files: the notes of an export, or one note from a text. */
import { NoteError } from '../../domain/error.ts';
import type { NoteDraft } from '../../domain/note.ts';
import { chatgpt, claude } from '../../formats/foreign/conversations.ts';
import { memos } from '../../formats/foreign/memos.ts';
import { recordOf } from '../../formats/foreign/note-record.ts';
import { editorChats } from '../../formats/foreign/sessions.ts';
import { raycast } from '../../formats/foreign/snippets/raycast.ts';
import { vscodeSnippets } from '../../formats/foreign/snippets/vscode-snippets.ts';
import { json, ndjson, withoutMark } from '../../formats/json.ts';
import { categoryOfFile, titleOfFile } from '../../formats/named-file.ts';
import { bad, type Format, type ReadRecord, type Source } from '../../formats/record.ts';
import { textInUtf8 } from '../../shared/utf8.ts';

/** The import formats that are a single JSON file. massCode uses a database or a folder. */
const formats: readonly Format[] = [
  ...[ndjson, json, chatgpt, claude],
  ...[memos, editorChats, vscodeSnippets, raycast],
];

/** Beyond these, use the command line: the page keeps everything in memory. */
const max = { files: 1_000, mebibytes: 64, notes: 20_000 };

const mebibyte = 2 ** 20;
const headLength = 64 * 1024;

/** The defaults of new notes. */
export type Defaults = Pick<NoteDraft, 'category' | 'group'>;

/** The outcome, in the order of the files. `isText`: a single text that is not an export. */
interface ReadFiles {
  readonly records: readonly ReadRecord[];
  readonly isText: boolean;
}

export async function readFiles(files: readonly File[], defaults: Defaults): Promise<ReadFiles> {
  const records: ReadRecord[] = [];
  let left = max.mebibytes * mebibyte;
  let notes = 0;
  let isText = files.length === 1;
  for (const [at, file] of files.entries()) {
    left -= file.size;
    const tooMany = at >= max.files || left < 0 || notes > max.notes;
    if (tooMany) records.push(bad(file.name, limitSaid));
    for await (const record of tooMany ? [] : recordsIn(file, defaults)) {
      isText &&= record.kind === 'note' && record.location === file.name && record.note.id === undefined;
      if (record.kind === 'note' && ++notes > max.notes) break;
      records.push(record);
    }
    if (!tooMany && notes > max.notes) records.push(bad(file.name, limitSaid));
  }
  return { records, isText };
}

const limitSaid =
  `The page imports at most ${max.files.toLocaleString()} files, ` +
  `${max.mebibytes} MiB and ${max.notes.toLocaleString()} notes at once. ` +
  'Import it separately, or use “notes import”';

async function* recordsIn(file: File, defaults: Defaults): AsyncGenerator<ReadRecord, void, void> {
  const kind = /^(image|audio|video)\//.exec(file.type)?.[1];
  if (kind) return yield bad(file.name, `Notes keeps text; ${kind === 'audio' ? kind : `${kind}s`} cannot be stored`);
  const bytes = await file.arrayBuffer().then((buffer) => new Uint8Array(buffer), notReadable);
  if (!bytes) return yield bad(file.name, 'It cannot be read. For a folder, choose the files in it');
  const text = textInUtf8(bytes);
  if (isArchive(bytes)) yield bad(file.name, 'It is an archive. Unpack it, and import its files');
  else if (text === undefined || text.includes('\0')) yield bad(file.name, 'It is not UTF-8 text');
  else yield* recordsOf(file, { bytes, text: withoutMark(text), defaults });
}

/** For folders, and files removed in the meantime. */
const notReadable = () => undefined;

/** .zip, .gz */
const isArchive = ([one, two]: Uint8Array) => (one === 0x50 && two === 0x4b) || (one === 0x1f && two === 0x8b);

interface Read {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly defaults: Defaults;
}

async function* recordsOf(file: File, { bytes, text, defaults }: Read): AsyncGenerator<ReadRecord, void, void> {
  const source = sourceOf(file, bytes);
  const format = await formatOf(source, text);
  if (!format) return yield textRecord(file, text, defaults);
  try {
    yield* format.read(source);
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    yield bad(file.name, error.message);
  }
}

/** Checks the file name too: a text that contains notes as JSON is not an export. */
async function formatOf(source: Source, text: string): Promise<Format | undefined> {
  if (/\.(json|jsonl|ndjson|code-snippets)$/i.test(source.name)) {
    return formats.find((format) => text.trim() !== '' && format.recognizes(source, text.slice(0, headLength)));
  }
  const hasFrontMatter = /\.(md|markdown)$/i.test(source.name) && /^---[ \t]*\r?\n/.test(text);
  return hasFrontMatter ? (await import('../../formats/markdown.ts')).markdown : undefined;
}

const sourceOf = ({ name, lastModified }: File, bytes: Uint8Array): Source => ({
  name,
  modifiedAt: new Date(lastModified),
  files: [],
  file: () => Promise.reject(new NoteError('invalid', `${name} is not a folder`)),
  async *bytes() {
    yield bytes;
  },
});

/** A text as a new note titled like its file; the dates of the file are ignored. */
function textRecord({ name }: File, text: string, { category, group }: Defaults): ReadRecord {
  const now = new Date();
  const record = recordOf(name, {
    title: titleOfFile(name),
    content: text,
    category: categoryOfFile(name) ?? category,
    color: 'neutral',
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    otherwise: now,
  });
  return record.kind === 'note' ? { ...record, note: { ...record.note, group } } : record;
}
