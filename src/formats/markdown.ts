import { basename, extname } from 'node:path';
import { type Document, isMap, parseDocument, stringify, type YAMLParseError } from 'yaml';
import { fieldValues } from '../domain/enums.ts';
import type { Note } from '../domain/note.ts';
import { excerpt } from '../shared/text.ts';
import { messageOf } from '../shared/thrown.ts';
import { bytesWithin, textInUtf8 } from '../shared/utf8.ts';
import { timeOf } from './foreign/fields.ts';
import { keepable } from './foreign/note-record.ts';
import { checked, withoutMark } from './json.ts';
import { bad, type FileTimes, type Format, type ReadRecord, type Source } from './record.ts';
import { isCostly, maxLevels, maxTokens } from './yaml-cost.ts';

/** One note per file. Files of other programs may have no or other front matter: missing fields get defaults. */
export const markdown: Format = {
  name: 'markdown',
  description: 'a folder of Markdown files, or one of them, with front matter or without',
  isByFile: true,
  recognizes: ({ name, files }) => (files.length === 0 ? isMarkdown(name) : files.some(isMarkdown)),
  async *read(source) {
    if (source.files.length === 0) yield await recordAt(source);
    for (const path of source.files) {
      if (isMarkdown(path)) yield await recordAt(source, path);
      else if (!isHidden(path))
        yield { kind: 'left out', location: path, reason: 'It is not a Markdown file. Use --format code for it' };
    }
  },
};

/** A note as a file. */
interface MarkdownFile {
  /** Relative, with `/`. Begins with category and id, to be unique on any file system. */
  readonly path: string;
  readonly text: string;
}

/** Formats a note. The content follows the front matter unchanged. */
export function markdownOf({ content, ...fields }: Note): MarkdownFile {
  return { path: pathOf(fields), text: `---\n${stringify(fields, yamlStyle)}---\n${content}` };
}

/** One line per field; quotes whatever any YAML parser, also of 1.1, could misread. */
const yamlStyle = { lineWidth: 0, blockQuote: false, compat: 'yaml-1.1' } as const;

const maxNameBytes = 120;

function pathOf({ id, category, title }: Pick<Note, 'id' | 'category' | 'title'>): string {
  const start = title.slice(0, maxNameBytes).normalize('NFC').toLowerCase();
  const words = start.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const name = cut([id, ...words].join('-'), maxNameBytes - '.md'.length);
  return `${category}/${name}.md`;
}

/** Cuts a text to `maxBytes` of UTF-8. */
function cut(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read).replace(/-$/, '');
}

export const isMarkdown = (path: string) =>
  !isHidden(path) && ['.md', '.markdown'].includes(extname(path).toLowerCase());

/** Hidden files and folders contain settings of programs. */
export const isHidden = (path: string) => path.split(/[\\/]/).some((part) => /^\.[^.]/.test(part));

const maxFileBytes = 64 * 1024 * 1024;

/** Reads one of the files of a source, or a source that is a file. */
async function recordAt(source: Source, file?: string): Promise<ReadRecord> {
  const { name, modifiedAt, category } = source;
  const path = file ?? name;
  try {
    const times = (file && (await source.timesOf?.(file))) || { createdAt: modifiedAt, modifiedAt };
    const bytes = file === undefined ? await bytesWithin(source.bytes(), maxFileBytes) : await source.file(file);
    return named(recordOf({ path, times, category }, bytes), source, file);
  } catch (error) {
    if (file === undefined) throw error;
    return bad(path, messageOf(error));
  }
}

function recordOf(file: FileFacts, bytes: Uint8Array | undefined): ReadRecord {
  const { path } = file;
  if (bytes === undefined || bytes.length > maxFileBytes)
    return bad(path, `Must not be longer than ${maxFileBytes} bytes`);
  const marked = textInUtf8(bytes);
  if (marked === undefined) return bad(path, 'Must be valid UTF-8');
  const text = withoutMark(marked);
  const parts = partsOf(text);
  if (parts === undefined) return noteWith({}, text, file);
  const frontMatter = parseFrontMatter(parts.frontMatter);
  if (typeof frontMatter === 'string') return bad(path, frontMatter);
  const { own, remark } = takeOwn(frontMatter);
  const isMore = isMap(frontMatter.contents) && frontMatter.contents.items.length > 0;
  const content = isMore ? `---\n${frontMatter.toString({ lineWidth: 0 })}---\n${parts.rest}` : parts.rest;
  const record = noteWith(own, content, file);
  return record.kind === 'note' && remark !== undefined ? { ...record, remark } : record;
}

function noteWith(own: Fields, content: string, file: FileFacts): ReadRecord {
  const record = checked(file.path, withDefaults(own, content, file));
  return record.kind === 'note' ? { ...record, fileTime: file.times.modifiedAt.toISOString() } : record;
}

/** Identifies a note without id by its file. */
function named(record: ReadRecord, source: Source, path?: string): ReadRecord {
  const origin = source.originOf?.(path);
  return record.kind === 'note' && record.note.id === undefined && origin ? { ...record, origin } : record;
}

/** Splits off front matter; undefined if there is none. Only line feeds end lines: titles may contain others. */
function partsOf(text: string): { frontMatter: string; rest: string } | undefined {
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (opening === undefined) return undefined;
  const closing = /\n(?:---|\.\.\.)[ \t]*\r?(?:\n|(?![\s\S]))/g;
  closing.lastIndex = opening - 1;
  const found = closing.exec(text);
  if (found === null) return undefined;
  return { frontMatter: text.slice(opening, found.index + 1), rest: text.slice(closing.lastIndex) };
}

/** Parses front matter; all values are strings. Returns a reason if it is unusable. */
function parseFrontMatter(text: string): Document | string {
  if (isCostly(text)) return `The front matter must not have more than ${maxTokens} parts, or ${maxLevels} levels`;
  const document = parseDocument(text, { schema: 'failsafe', stringKeys: true });
  const [error] = document.errors;
  if (error !== undefined) return wrongYaml(error);
  const isFine = document.contents === null || isMap(document.contents);
  return isFine || text.trim() === '' ? document : 'The front matter must be a YAML map';
}

function wrongYaml({ code, linePos }: YAMLParseError): string {
  const line = `line ${(linePos?.[0].line ?? 0) + 1}`; // the line --- precedes the front matter
  if (code === 'DUPLICATE_KEY') return `${line} has a duplicate key. Remove one of them`;
  return `${line} is not valid YAML. Put the text in quotes: title: "a: b"`;
}

type Fields = Record<string, unknown>;

/**
 * Removes our fields from front matter; other fields stay. An id is ours only with `updatedAt`, which decides which of
 * two notes is newer. Without both, values that do not fit our fields belong to another program, and stay.
 */
function takeOwn(frontMatter: Document): { readonly own: Fields; readonly remark?: string } {
  const names = ['title', 'category', 'group', 'color', 'archived', 'createdAt', 'updatedAt'];
  const isOurs = frontMatter.has('updatedAt') && frontMatter.has('id');
  if (isOurs) names.push('id');
  const own: Fields = {};
  const theirs: string[] = [];
  for (const name of names) {
    if (!frontMatter.has(name)) continue;
    const value = frontMatter.get(name);
    if (isOurs || value === '' || canBe(name, value)) frontMatter.delete(name);
    else theirs.push(typeof value === 'string' ? `${name} “${excerpt(value, maxShown)}”` : name);
    if (value !== '' && (isOurs || canBe(name, value))) own[name] = isOurs ? value : timeIn(name, value);
  }
  const created = isOurs ? undefined : timeOf(frontMatter.get('created'));
  if (created !== undefined) own['createdAt'] ??= created;
  return theirs.length === 0
    ? { own }
    : { own, remark: `Left in the text, as no field matches it: ${theirs.join(', ')}` };
}

const maxShown = 40;
const kinds = { ...fieldValues, archived: ['true', 'false'] } as const;

/** Whether a field of another program fits ours. */
function canBe(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (/At$/.test(name)) return timeOf(value) !== undefined;
  return name === 'title' || kinds[name as keyof typeof kinds].some((allowed) => allowed === value);
}

/** Converts times in other formats. */
const timeIn = (name: string, value: unknown) => (/At$/.test(name) ? (timeOf(value) ?? value) : value);

/** Properties of a file besides its text. */
interface FileFacts {
  readonly path: string;
  readonly times: FileTimes;
  readonly category: Source['category'];
}

function withDefaults({ id, archived = 'false', ...own }: Fields, content: string, file: FileFacts): Fields {
  const { path, times, category } = file;
  const [created, modified] = [times.createdAt.toISOString(), times.modifiedAt.toISOString()];
  const { createdAt = earlier(created, own['updatedAt'] ?? modified), updatedAt = later(modified, createdAt) } = own;
  return {
    ...(id !== undefined && { id: typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id }),
    title: headingOf(content) ?? basename(path, extname(path)),
    category: category ?? 'notes',
    group: 'first',
    color: 'neutral',
    ...own,
    content,
    archived: archived === 'true' || (archived === 'false' ? false : archived),
    createdAt,
    updatedAt,
  };
}

const earlier = (time: string, other: unknown) => (typeof other === 'string' && other < time ? other : time);
const later = (time: string, other: unknown) => (typeof other === 'string' && other > time ? other : time);

const maxTitleLength = 200;

/** The first heading, unless it is below code. */
function headingOf(content: string): string | undefined {
  const [text = ''] = content.split(/^(?:```|~~~)/m, 1);
  const line = /^ {0,3}#{1,6}[ \t]+(\S.*)/m.exec(text)?.[1]?.slice(0, maxTitleLength) ?? '';
  return (
    keepable(line)
      .replace(/#+\s*$/, '')
      .trim() || undefined
  );
}
