/**
 * massCode's snippets in its four formats, based on github.com/massCodeIO/massCode: snippets.db of version 1, as in
 * github.com/Benj4/massCodeDB and github.com/Anubis49/massCodeSnippets; db.json of version 3
 * (src/main/db/types/index.ts), the SQLite database of version 4 (src/main/db/index.ts), and the Markdown vault of
 * version 5 (src/main/storage/providers/markdown: runtime/parser.ts, runtime/constants.ts, http/runtime/parser.ts,
 * notes/runtime/notes.ts).
 */
import type { Database } from 'bun:sqlite';
import { createInvalidError, NoteError } from '../../../core/error.ts';
import { type Fields, isObject } from '../../../core/json/json.ts';
import { getErrorMessage } from '../../../core/thrown-errors.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createBadRecord, createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { readFileBytes, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
  tryParseBoundedJson,
} from '../../untyped-values.ts';
import { sheetFile, toVaultSnippet, tryParseMathSheets } from './masscode-vault.ts';
import { getCategoryByLanguages } from './vscode-snippets.ts';

const storeFile = /^(db\.json|massCode\.db|snippets\.db)$/;
const vaultFile = new RegExp(`\\.md$|${sheetFile.source}`, 'i');
const vaultMark = /(^|\/)(\.masscode\/|\.state\.(json|yaml)$)/;
const isVaultFolder = ({ files }: Source) => files.some((path) => vaultMark.test(path));

export const masscodeFormat: NoteFormat = {
  name: 'masscode',
  description: "massCode's snippets: snippets.db, db.json, massCode.db or the folder of its Markdown vault",
  recognizes: (source, head) =>
    isVaultFolder(source) ||
    (source.files.some((path) => storeFile.test(path)) && !source.files.some((path) => vaultFile.test(path))) ||
    (/^SQLite format 3\0/.test(head) && /snippet_contents/.test(head)) ||
    isVersion1Text(head) ||
    (/^\ufeff?\s*\{/.test(head) &&
      /"(folders|snippets)"\s*:\s*\[/.test(head) &&
      /"(isDeleted|defaultLanguage)"/.test(head)),
  streamRecords: (source) =>
    isVaultFolder(source)
      ? streamRecordsOfMatchingFiles(source, vaultFile, streamVaultFileRecords)
      : streamRecordsOfMatchingFiles(source, storeFile, streamStoreFileRecords),
};

/** Whether a text is one of version 1, which has a line of JSON for each snippet. */
const isVersion1Text = (head: string) => /^\ufeff?\{[^\n]*"\$\$date"/.test(head) && /"isFavorites"/.test(head);

async function* streamVaultFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const bytes = await readFileBytes(file);
  if (!sheetFile.test(file.name))
    return yield* iterateRecordsOfMasscodeSnippet(file.name, toVaultSnippet(file.name, bytes), file.modifiedAt);
  const sheets = tryParseMathSheets(bytes);
  if (sheets === undefined) yield createBadRecord(file.name, 'It holds no sheets that can be read');
  for (const [index, sheet] of sheets?.entries() ?? []) {
    yield* iterateRecordsOfMasscodeSnippet(`sheet ${index + 1} of ${file.name}`, sheet, file.modifiedAt);
  }
}

async function* streamStoreFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const { name, modifiedAt } = file;
  const bytes = await readFileBytes(file);
  const snippets = beginsWithSqliteHeader(bytes)
    ? await readSqliteSnippets(name, bytes)
    : tryParseSnippetsOfStore(name, decodeUtf8Leniently(bytes));
  if (snippets === undefined)
    throw createInvalidError(
      `${name} holds no "snippets". massCode 1 keeps them in snippets.db, 3 in db.json, 4 in massCode.db`,
    );
  for (const [index, snippet] of snippets.entries()) {
    const location = `snippet ${index + 1} of ${name}`;
    if (isObject(snippet)) yield* iterateRecordsOfMasscodeSnippet(location, snippet, modifiedAt);
    else yield createBadRecord(location, 'Must be a JSON object');
  }
}

/**
 * Parses the snippets in a store of version 1 or 3, whose types stay unknown. Returns undefined if the text is no
 * store.
 */
function tryParseSnippetsOfStore(name: string, text: string): readonly unknown[] | undefined {
  if (/(^|[\\/])snippets\.db$/.test(name) || isVersion1Text(text)) return parseVersion1SnippetsAndDamaged(text);
  const { snippets } = toObjectOrEmpty(tryParseBoundedJson(text));
  return Array.isArray(snippets) ? snippets : undefined;
}

/**
 * Parses snippets of version 1, which appends a line for each change: the last one counts. After the snippets the list
 * has undefined for each line that is damaged.
 *
 * Example: the lines `{"_id":1,"name":"a"}`, `{"_id":2}`, `{"_id":1,"name":"b"}` and `{"_id":2,"$$deleted":true}` are
 * one snippet, `b`.
 */
function parseVersion1SnippetsAndDamaged(text: string): readonly (Fields | undefined)[] {
  const snippets = new Map<unknown, Fields>();
  const damaged: undefined[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const value = tryParseBoundedJson(line);
    if (!isObject(value)) damaged.push(undefined);
    else if (value['$$deleted'] === true) snippets.delete(value['_id']);
    else if (value['_id'] !== undefined) snippets.set(value['_id'], toVersion3Snippet(value));
  }
  return [...snippets.values(), ...damaged];
}

const toVersion3Snippet = (value: Fields): Fields => ({
  ...value,
  id: value['_id'],
  createdAt: toObjectOrEmpty(value['createdAt'])['$$date'],
  updatedAt: toObjectOrEmpty(value['updatedAt'])['$$date'],
});

const decodeUtf8Leniently = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const beginsWithSqliteHeader = (bytes: Uint8Array) =>
  decodeUtf8Leniently(bytes.subarray(0, 16)) === 'SQLite format 3\0';

const tables = ['snippets', 'snippet_contents'];

/**
 * Parses the snippets of a database, with their fragments as `content`, as in db.json. Throws `invalid` for other
 * databases.
 */
async function readSqliteSnippets(name: string, bytes: Uint8Array): Promise<readonly Fields[]> {
  try {
    const { Database } = await import('bun:sqlite'); // a browser has no SQLite
    const database = Database.deserialize(copyDatabaseWithoutWalMode(bytes), true);
    try {
      return selectSnippetsWithFragments(database);
    } finally {
      database.close(); // `using` would add its code to the first script of the page, which shares this file
    }
  } catch (cause) {
    const reason = getErrorMessage(cause);
    throw new NoteError('invalid', `${name} cannot be read as a database of massCode: ${reason}`, { cause });
  }
}

function selectSnippetsWithFragments(database: Database): readonly Fields[] {
  const tableNames = database.query("SELECT name FROM sqlite_master WHERE type = 'table'").values().flat();
  if (!tables.every((table) => tableNames.includes(table))) throw new Error(`it has no tables ${tables.join(', ')}`);
  const fragments = Map.groupBy(
    database
      .query('SELECT snippetId, label, language, value FROM snippet_contents ORDER BY id')
      .all()
      .map(toObjectOrEmpty),
    (fragment) => fragment['snippetId'],
  );
  const snippets = database.query('SELECT * FROM snippets ORDER BY id').all().map(toObjectOrEmpty);
  return snippets.map((snippet) => ({ ...snippet, content: fragments.get(snippet['id']) ?? [] }));
}

/**
 * Copies a database, and unsets its write-ahead log in bytes 18 and 19 (sqlite.org/fileformat.html): in memory there is
 * none.
 */
function copyDatabaseWithoutWalMode(bytes: Uint8Array): Uint8Array {
  const own = Uint8Array.from(bytes);
  own.set([1, 1], 18);
  return own;
}

/** Yields a note for each fragment and for the description. The notes are archived if the snippet is in the trash. */
function* iterateRecordsOfMasscodeSnippet(
  location: string,
  snippet: Fields,
  otherwise: Date,
): Generator<ReadRecord, void, void> {
  const { createdAt, updatedAt } = snippet;
  const note = { color: 'neutral', archived: Boolean(snippet['isDeleted']), createdAt, updatedAt, otherwise } as const;
  const [key, name] = [createSnippetKeyOrEmpty(snippet), toTextOrEmpty(snippet['name'])];
  const texts = listDescriptionAndFragments(snippet);
  if (texts.length === 0) yield { kind: 'left out', location, reason: 'It has no text' };
  const labels = new Set<string>();
  for (const { label, content, language, isMain } of texts) {
    const title = isMain ? name : formatFragmentTitle(name, label);
    const where = texts.length === 1 ? location : `${location}, ${label}`;
    let own = label;
    for (let n = 2; labels.has(own); n++) own = `${label} (${n})`;
    labels.add(own);
    const origin = tryCreateOriginKey('masscode', key && `${key}/${own}`);
    yield createRecordFromForeignNote(where, {
      ...note,
      title,
      content,
      category: getCategoryByLanguages(language),
      origin,
    });
  }
}

/**
 * Some versions have numeric ids, which repeat on other computers and in each space of a vault: the time of creation
 * and the space make them unique.
 */
function createSnippetKeyOrEmpty({ id, createdAt, space }: Fields): string {
  const created = tryConvertToIsoTime(createdAt);
  if (created === undefined || (typeof id !== 'string' && typeof id !== 'number')) return '';
  return `${space === undefined ? '' : `${space}/`}${created}/${id}`;
}

interface SnippetText {
  readonly label: string;
  readonly language: string;
  readonly content: string;
  /** Whether it is the only fragment, or a description without one: it has the name of the snippet. */
  readonly isMain: boolean;
}

/**
 * Lists the description of a snippet, and after it the fragments. All notes of a snippet get the same times. Of notes
 * with the same time, a search finds the one first that was added last: so the fragments stand above the description.
 */
function listDescriptionAndFragments(snippet: Fields): readonly SnippetText[] {
  const contents = toArrayOrEmpty(snippet['content']);
  const fragments = contents.map((element, index) => {
    const { label, language, value } = toObjectOrEmpty(element);
    const isMain = contents.length === 1;
    return {
      label: getFirstNonBlankOrEmpty(label, `Fragment ${index + 1}`),
      language: toTextOrEmpty(language),
      content: toTextOrEmpty(value),
      isMain,
    };
  });
  const content = getFirstNonBlankOrEmpty(snippet['description']);
  if (content === '') return fragments;
  return [{ label: 'description', language: '', content, isMain: contents.length === 0 }, ...fragments];
}

const formatFragmentTitle = (name: string, label: string) => (name.trim() === '' ? label : `${name} — ${label}`);
