/**
 * Joplin's own exports: JEX, a tar archive, and RAW, the same files in a folder; its Markdown exports are read as other
 * Markdown. A file per item, `0123456789abcdef0123456789abcdef.md`: title, text, and lines such as `type_: 1`, each of
 * the three after a blank line.
 *
 * | in Joplin | in the note |
 * |---|---|
 * | title, text, links to notes and files (`:/…`) | the title, the text as written |
 * | tags, author, source, whether a to-do is done, when it is due | front matter, as its Markdown export has it |
 * | times, id | the times, the origin |
 * | trash | archived |
 * | encrypted notes, notebooks, attachments | left out, and counted |
 * | location, order, sharing | left out |
 *
 * Seen in github.com/laurent22/joplin, `packages/lib/models/BaseItem.ts` (serialize) and `utils/frontMatter.ts`.
 */
import { stringify } from 'yaml';
import { isHiddenPath, isVisibleMarkdownFile } from '../../markdown-format.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import {
  createBadRecord,
  createRecordFromForeignNote,
  deriveStorableTitleOrEmpty,
  type ReadRecord,
} from '../../record.ts';
import { readSourceFileText, type Source } from '../../source.ts';

export const joplinFormat: NoteFormat = {
  name: 'joplin',
  description: 'notes of Joplin, exported as JEX or RAW',
  recognizes: ({ files }) =>
    files.some(isVisibleMarkdownFile) && files.filter(isVisibleMarkdownFile).every((path) => itemName.test(path)),
  async *streamRecords(source) {
    const tags = await readTagNamesByNoteId(source);
    for (const path of source.files) {
      if (itemName.test(path)) yield* streamItemFileRecords(source, path, tags);
      else if (!isHiddenPath(path)) yield { kind: 'left out', location: path, reason: 'Attachments are left out' };
    }
  },
};

const itemName = /(?:^|[\\/])[\da-f]{32}\.md$/i;

interface Item {
  readonly title: string;
  readonly body: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** The names of the tags of each note, by its id. */
type Tags = ReadonlyMap<string, readonly string[]>;

/** Values of `type_`. */
const types = { note: '1', notebook: '2', attachment: '4', tag: '5', tagOfNote: '6' } as const;

/** Parses an item. Returns undefined if the text is none. An item without title and text has nothing but fields. */
function tryParseJoplinItem(text: string): Item | undefined {
  const lines = text.trimEnd().split('\n');
  const blank = lines.findLastIndex((line) => line.trim() === '');
  const [title = '', , ...body] = lines.slice(0, Math.max(blank, 0));
  const fields = new Map(lines.slice(blank + 1).map(toFieldNameOrEmptyAndValue));
  return fields.has('type_') ? { title: title.trim(), body: body.join('\n'), fields } : undefined;
}

function toFieldNameOrEmptyAndValue(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()];
}

/**
 * Reads the names of the tags of each note. Tags, and which notes have them, are items of their own, in files before
 * and after those of the notes.
 */
async function readTagNamesByNoteId(source: Source): Promise<Tags> {
  const names = new Map<string, string>();
  const pairs: (readonly [note: string, tag: string])[] = [];
  for (const path of source.files.filter((one) => itemName.test(one))) {
    const { title, fields } = tryParseJoplinItem(await readSourceFileText(source, path)) ?? {
      title: '',
      fields: new Map(),
    };
    if (fields.get('type_') === types.tag) names.set(fields.get('id') ?? '', title);
    if (fields.get('type_') === types.tagOfNote) pairs.push([fields.get('note_id') ?? '', fields.get('tag_id') ?? '']);
  }
  const byNote = Map.groupBy(pairs, ([note]) => note);
  const listTagNames = (of: typeof pairs) => of.flatMap(([, tag]) => names.get(tag) ?? []).sort();
  return new Map(Array.from(byNote, ([note, of]) => [note, listTagNames(of)]));
}

async function* streamItemFileRecords(
  source: Source,
  path: string,
  tags: Tags,
): AsyncGenerator<ReadRecord, void, void> {
  const item = tryParseJoplinItem(await readSourceFileText(source, path));
  if (item === undefined) return yield createBadRecord(path, 'It is no item of Joplin: it has no line "type_: …"');
  const type = item.fields.get('type_');
  if (type === types.note) yield createRecordOfNoteItem(path, item, tags, source.modifiedAt);
  if (type === types.notebook) yield { kind: 'left out', location: path, reason: 'Notebooks are left out' };
}

function createRecordOfNoteItem(path: string, { title, body, fields }: Item, tags: Tags, otherwise: Date): ReadRecord {
  const get = (name: string) => fields.get(name) ?? '';
  if (get('encryption_applied') === '1')
    return { kind: 'left out', location: path, reason: 'It is encrypted: let Joplin decrypt it, then export again' };
  return createRecordFromForeignNote(path, {
    title: title || deriveStorableTitleOrEmpty(body),
    content: formatJoplinFrontMatterOrEmpty(fields, tags.get(get('id')) ?? []) + body || title,
    category: 'notes',
    color: 'neutral',
    archived: isNonZero(get('deleted_time')),
    createdAt: get('user_created_time') || get('created_time'),
    updatedAt: get('user_updated_time') || get('updated_time'),
    otherwise,
    origin: tryCreateOriginKey('joplin', get('id')),
  });
}

/** Whether a time or a number is set. Joplin writes 0 if there is none. */
const isNonZero = (value: string) => value !== '' && Number(value) !== 0;

/** Formats what has no field here as front matter. Returns an empty text if there is nothing. */
function formatJoplinFrontMatterOrEmpty(fields: ReadonlyMap<string, string>, tags: readonly string[]): string {
  const get = (name: string) => fields.get(name) ?? '';
  const due = Number(get('todo_due'));
  const shown = {
    ...(get('source_url') !== '' && { source: get('source_url') }),
    ...(get('author') !== '' && { author: get('author') }),
    ...(get('is_todo') === '1' && { 'completed?': isNonZero(get('todo_completed')) ? 'yes' : 'no' }),
    ...(due > 0 && due < maxTime && { due: new Date(due).toISOString() }),
    ...(tags.length > 0 && { tags }),
  };
  return Object.keys(shown).length === 0 ? '' : `---\n${stringify(shown, { lineWidth: 0 })}---\n\n`;
}

const maxTime = Date.UTC(9999, 11, 31);
