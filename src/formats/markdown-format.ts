import { extname } from 'node:path';
import { stringify } from 'yaml';
import { flagFields } from '../core/enums.ts';
import type { Fields } from '../core/json/json.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { tryDecodeUtf8, tryReadBytesUpTo } from '../core/text/utf8.ts';
import { getErrorMessage } from '../core/thrown-errors.ts';
import { stripFolderAndEnding } from './file-names.ts';
import { type ParsedMarkdown, parseMarkdownTextOrReason } from './front-matter.ts';
import type { NoteFormat } from './note-format.ts';
import { isVaultOriginKey, tryCreateOriginKey } from './origin.ts';
import { createBadRecord, createRecordFromFields, type ReadRecord, replaceUnstorableCharacters } from './record.ts';
import type { FileTimes, Source } from './source.ts';
import { notUnicodeReason, stripByteOrderMark } from './text-encoding.ts';

/**
 * One note per file, titled by its front matter, else by a heading in its first line, else by its name. In a vault of
 * Obsidian the name comes before a heading, as links between its notes use the name. Files of other programs may have
 * no or other front matter: missing fields get defaults.
 */
export const markdownFormat: NoteFormat = {
  name: 'markdown',
  description: 'a folder of Markdown files, or one of them, with front matter or without',
  readsEachFile: true,
  acceptsCategory: true,
  readsFileTimes: true,
  isKnownByEnding: true,
  recognizes: ({ name, files }) => (files.length === 0 ? hasMarkdownEnding(name) : isMarkdownFolder(files)),
  async *streamRecords(source) {
    const rules = { isVault: isVault(source.files) };
    if (source.files.length === 0) yield await readMarkdownRecord(source);
    for (const path of source.files) {
      if (isVisibleMarkdownFile(path)) yield await readMarkdownRecord(source, path, rules);
      else if (!isHiddenPath(path))
        yield { kind: 'left out', location: path, reason: 'It is not a Markdown file', unread: [path] };
    }
  },
};

/** A note as a Markdown file. */
interface MarkdownFile {
  /** The path is relative, with `/`. It begins with category and id, so that it is unique on any file system. */
  readonly path: string;
  readonly text: string;
}

/** Formats a note with its origin and its pin, if it has them. The content follows the front matter unchanged. */
export function toMarkdownFile({
  content,
  ...fields
}: Note & Pick<PortableNote, 'origin'> & { readonly pin?: number }): MarkdownFile {
  return { path: createNotePath(fields), text: `---\n${stringify(fields, yamlStyle)}---\n${content}` };
}

/**
 * These options write one line per field, and quote whatever any parser of YAML, also of version 1.1, could misread.
 */
const yamlStyle = { lineWidth: 0, blockQuote: false, compat: 'yaml-1.1' } as const;

const maxNameBytes = 120;

function createNotePath({ id, category, title }: Pick<Note, 'id' | 'category' | 'title'>): string {
  const start = title.slice(0, maxNameBytes).normalize('NFC').toLowerCase();
  const words = start.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const name = cutNameToBytesAndTrimHyphen([id, ...words].join('-'), maxNameBytes - '.md'.length);
  return `${category}/${name}.md`;
}

/** Cuts a text to `maxBytes` of UTF-8, without a hyphen at its end. Example: "7-été" cut to 4 bytes is "7-é". */
function cutNameToBytesAndTrimHyphen(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read).replace(/-$/, '');
}

/**
 * Whether files are those of a folder of Markdown. In a vault of Obsidian, other files are attachments of its notes.
 */
function isMarkdownFolder(files: readonly string[]): boolean {
  const shown = files.filter((path) => !isHiddenPath(path));
  return isVault(files) ? shown.some(isVisibleMarkdownFile) : shown.length > 0 && shown.every(isVisibleMarkdownFile);
}

const isVault = (files: readonly string[]) => files.some((path) => path.startsWith('.obsidian/'));

const hasMarkdownEnding = (path: string) => ['.md', '.markdown'].includes(extname(path).toLowerCase());

/** Whether a file of a folder is read. A hidden file is read only if the user names it. */
export const isVisibleMarkdownFile = (path: string) => !isHiddenPath(path) && hasMarkdownEnding(path);

/** Hidden files and folders contain settings of programs. */
export const isHiddenPath = (path: string) => path.split(/[\\/]/).some((part) => /^\.[^.]/.test(part));

const maxFileBytes = 64 * 1024 * 1024;

/** A program may decide this about its Markdown files. */
export interface MarkdownRules {
  /** Returns the title of a text without its front matter. The front matter may still name another title. */
  getTitle?(text: string): string;
  /** Whether the files are those of a vault of Obsidian. A file whose origin is in a vault needs no such rule. */
  readonly isVault?: boolean;
  /** The key of the note in that program, in place of the path of its file. */
  readonly origin?: string;
}

/** Reads one of the files of a source, or a source that is a file. */
export async function readMarkdownRecord(source: Source, file?: string, rules?: MarkdownRules): Promise<ReadRecord> {
  const { name, modifiedAt, category } = source;
  const path = file ?? name;
  try {
    const times = (file && (await source.readTimes?.(file))) || { createdAt: modifiedAt, modifiedAt };
    const bytes = await tryReadBytesUpTo(source.streamChunks(file), maxFileBytes);
    const origin = rules?.origin ?? source.findOriginKey?.(file);
    const isInVault = rules?.isVault === true || (origin !== undefined && isVaultOriginKey(origin));
    const titles = createTitleRules(path, isInVault, rules?.getTitle);
    const record = createRecordFromMarkdownBytes({ path, times, category, ...titles }, bytes);
    return copyWithOriginUnlessIdentified(record, origin);
  } catch (error) {
    if (file === undefined) throw error;
    return createBadRecord(path, getErrorMessage(error));
  }
}

function createRecordFromMarkdownBytes(file: FileFacts, bytes: Uint8Array | undefined): ReadRecord {
  const { path } = file;
  if (bytes === undefined) return createBadRecord(path, `Must not be longer than ${maxFileBytes} bytes`);
  const marked = tryDecodeUtf8(bytes);
  if (marked === undefined) return createBadRecord(path, notUnicodeReason);
  const parsed = parseMarkdownTextOrReason(stripByteOrderMark(marked));
  return typeof parsed === 'string' ? createBadRecord(path, parsed) : createRecordFromParsedMarkdown(parsed, file);
}

function createRecordFromParsedMarkdown(
  { noteFields, content, body, joplinId, remark }: ParsedMarkdown,
  file: FileFacts,
): ReadRecord {
  const { path, times } = file;
  if (noteFields['id'] === undefined && content.trim() === '')
    return { kind: 'left out', location: path, reason: 'It has no text' };
  const record = createRecordFromFields(path, { ...createFieldsWithDefaults(noteFields, body, file), content });
  if (record.kind !== 'note') return record;
  const origin = joplinId === undefined ? undefined : tryCreateOriginKey('joplin', joplinId);
  const formerTitle = noteFields['title'] === undefined ? file.getFormerTitle(body) : record.note.title;
  return {
    ...record,
    fileTime: times.modifiedAt.toISOString(),
    ...(formerTitle !== record.note.title && { formerTitle }),
    ...(origin !== undefined && { origin }),
    ...(remark !== undefined && { remark }),
  };
}

/** Gives a note without id the origin of its source, unless its text has given it another one. */
const copyWithOriginUnlessIdentified = (record: ReadRecord, origin: string | undefined): ReadRecord =>
  record.kind === 'note' && record.note.id === undefined && origin !== undefined ? { origin, ...record } : record;

/** What is known of a file besides its text. */
interface FileFacts extends TitleRules {
  readonly path: string;
  readonly times: FileTimes;
  readonly category: Source['category'];
}

function createFieldsWithDefaults({ id, ...own }: Fields, body: string, file: FileFacts): Fields {
  const { times, category, getTitle } = file;
  const [created, modified] = [times.createdAt.toISOString(), times.modifiedAt.toISOString()];
  const { updatedAt = modified } = own;
  const { createdAt = getEarlierTime(created, updatedAt) } = own;
  return {
    ...(id !== undefined && { id: typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id }),
    title: getTitle(body),
    category: category ?? 'notes',
    group: 'first',
    color: 'neutral',
    ...own,
    ...Object.fromEntries(flagFields.map((name) => [name, toBooleanOrSameValue(own[name] ?? 'false')])),
    createdAt,
    // A day, or the time of the file, may be before the time of creation.
    updatedAt: id === undefined && String(createdAt) > String(updatedAt) ? createdAt : updatedAt,
  };
}

/** Converts the texts of front matter. Any other value stays as it is, and is rejected later. */
const toBooleanOrSameValue = (value: unknown): unknown => value === 'true' || (value === 'false' ? false : value);

interface TitleRules {
  /** Returns the title of a text, unless the front matter names one. */
  readonly getTitle: (body: string) => string;
  /** Returns the title that the version of Notes before the last rule for titles gave. */
  readonly getFormerTitle: (body: string) => string;
}

/**
 * Creates the rules for the title of a file. First, a heading was the title, then the name of each file, and now it is
 * again a heading, if it is the first line. A text from standard input has no name, so that its first heading is the
 * title. A program may decide by `getProgramTitle`.
 */
function createTitleRules(path: string, isInVault: boolean, getProgramTitle: MarkdownRules['getTitle']): TitleRules {
  const name = stripFolderAndEnding(path);
  const getHeadingOrName = (body: string) => findFirstHeading(body) ?? name;
  if (getProgramTitle !== undefined) return { getTitle: getProgramTitle, getFormerTitle: getHeadingOrName };
  if (!hasMarkdownEnding(path)) return { getTitle: getHeadingOrName, getFormerTitle: getHeadingOrName };
  if (isInVault) return { getTitle: () => name, getFormerTitle: getHeadingOrName };
  return {
    getTitle: (body) => findTitleHeading(body) ?? name,
    getFormerTitle: (body) => (findTitleHeading(body) === undefined ? getHeadingOrName(body) : name),
  };
}

const getEarlierTime = (time: string, other: unknown) => (typeof other === 'string' && other < time ? other : time);

const maxTitleLength = 200;

/** Finds the first heading, unless it is below code. */
function findFirstHeading(body: string): string | undefined {
  const [text = ''] = body.split(/^(?:```|~~~)/m, 1);
  return toHeadingTitleIfAny(/^ {0,3}#{1,6}[ \t]+(\S.*)/m.exec(text)?.[1]);
}

/** Finds a heading of level 1 in the first line that is not blank. */
const findTitleHeading = (body: string): string | undefined =>
  toHeadingTitleIfAny(/^(?:[ \t]*\r?\n)* {0,3}#[ \t]+(\S.*)/.exec(body)?.[1]);

/** Converts the words of a heading to a title. Example: "The plan ##" becomes "The plan". */
const toHeadingTitleIfAny = (line = ''): string | undefined =>
  replaceUnstorableCharacters(line.slice(0, maxTitleLength))
    .replace(/#+\s*$/, '')
    .trim() || undefined;
