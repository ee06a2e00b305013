/**
 * Snippets of VS Code and similar editors: `*.code-snippets`, and `<language>.json` in a folder `snippets`, as JSON
 * with comments. Based on github.com/microsoft/vscode, src/vs/workbench/contrib/snippets/browser/snippetsFile.ts.
 */
import { type ParseError, parse, printParseErrorCode, visit } from 'jsonc-parser';
import { createInvalidError } from '../../../core/error.ts';
import { type Fields, isObject } from '../../../core/json/json.ts';
import type { PortableNote } from '../../../core/note.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import {
  createBadRecord,
  createRecordFromForeignNote,
  deriveStorableTitleOrEmpty,
  type ReadRecord,
} from '../../record.ts';
import { readFileText, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { convertSnippetBody } from './snippet-text.ts';

const styles = ['css', 'scss', 'sass', 'less', 'stylus', 'postcss'];
const shells = ['sh', 'bash', 'shell', 'shellscript', 'zsh', 'fish', 'powershell', 'batchfile', 'bat'];

/** Returns the category of a snippet by its languages, as editors name them. Other languages are in `notes`. */
export function getCategoryByLanguages(...languages: readonly string[]): PortableNote['category'] {
  if (languages.some((language) => styles.includes(language))) return 'css';
  return languages.some((language) => shells.includes(language)) ? 'bash-commands' : 'notes';
}

const globalFile = /\.code-snippets$/i;
const languageFile = /(?:^|\/)snippets\/[^/]+\.json$/i;

/**
 * Creates the pattern of the paths of snippet files. In a source that is itself called `snippets`, files of languages
 * are at the top.
 */
const createSnippetFilePattern = ({ name }: Source) =>
  /(^|[\\/])snippets[\\/]?$/i.test(name)
    ? /\.code-snippets$|^[^/]+\.json$/i
    : new RegExp(`${globalFile.source}|${languageFile.source}`, 'i');

export const vscodeSnippetsFormat: NoteFormat = {
  name: 'vscode-snippets',
  description: 'snippets of VS Code: a .code-snippets file, the .json of a language, or the folder snippets',
  readsEachFile: true,
  recognizes: (source, head) =>
    source.files.length === 0
      ? globalFile.test(source.name) || looksLikeVscodeSnippets(head)
      : source.files.some((path) => createSnippetFilePattern(source).test(path)) &&
        !source.files.some((path) => /\.md$/i.test(path)),
  streamRecords: (source) =>
    streamRecordsOfMatchingFiles(source, createSnippetFilePattern(source), (file) =>
      streamSnippetFileRecords(file, source),
    ),
};

const looksLikeVscodeSnippets = (head: string) =>
  /^\ufeff?\s*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)\s*)*\{/.test(head) &&
  /"body"\s*:\s*["[]/.test(head) &&
  /"prefix"\s*:\s*["[]/.test(head);

async function* streamSnippetFileRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const errors: ParseError[] = [];
  const text = await readFileText(file);
  const found: unknown = parse(text, errors, { allowTrailingComma: true });
  if (!isObject(found)) throw createInvalidError(`${file.name} holds no snippets: it is not a JSON object`);
  const { name } = file;
  for (const { error, offset } of errors.slice(0, 1)) {
    const line = text.slice(0, offset).split('\n').length;
    const reason = `It is not valid JSON (${printParseErrorCode(error)})`;
    yield { kind: 'bad', location: `line ${line} of ${name}`, reason };
  }
  for (const title of listRepeatedTopLevelNames(text))
    yield createBadRecord(`“${title}” of ${name}`, 'Another snippet below has this name. Rename one');
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  const language = globalFile.test(name) ? undefined : name.replace(/^.*[\\/]|\.[^.]*$/g, '');
  for (const [title, snippet] of iterateNamedSnippets(found)) {
    yield* iterateSnippetAndDescriptionRecords(`“${title}” of ${name}`, {
      title,
      snippet,
      language,
      otherwise: file.modifiedAt,
      key,
    });
  }
}

/** Lists the names that occur again at the top of the object, where only the last one counts. */
function listRepeatedTopLevelNames(text: string): readonly string[] {
  const [names, repeated]: [Set<string>, string[]] = [new Set(), []];
  let depth = 0;
  const enterObject = () => {
    depth++;
  };
  const leaveObject = () => {
    depth--;
  };
  const onObjectProperty = (name: string) => {
    if (depth === 1 && names.has(name)) repeated.push(name);
    if (depth === 1) names.add(name);
  };
  visit(text, { onObjectBegin: enterObject, onObjectEnd: leaveObject, onObjectProperty });
  return repeated;
}

/** Yields snippets by name; some are nested under a group name. */
function* iterateNamedSnippets(found: Fields): Generator<readonly [string, Fields], void, void> {
  for (const [title, value] of Object.entries(found)) {
    const snippet = toObjectOrEmpty(value);
    if ('body' in snippet || !Object.values(snippet).some(isObject)) yield [title, snippet];
    else yield* iterateNamedSnippets(snippet);
  }
}

interface Snippet {
  readonly title: string;
  readonly snippet: Fields;
  /** The language of its file, if the file is for one language. */
  readonly language: string | undefined;
  readonly otherwise: Date;
  /** The origin key of the file. */
  readonly key: string | undefined;
}

/** Yields a note of the snippet, and one of a description that does not fit into the title or has no snippet. */
function* iterateSnippetAndDescriptionRecords(
  location: string,
  { title: name, snippet, language, otherwise, key }: Snippet,
) {
  const languages = [language ?? '', ...toTextOrEmpty(snippet['scope']).split(',')];
  const { text: content, isTransformed } = convertSnippetBody(toTextListOrEmpty(snippet['body']).join('\n'));
  const prefixes = toTextListOrEmpty(snippet['prefix']);
  const description = toTextListOrEmpty(snippet['description']).join(' ').trim();
  const title = formatSnippetTitle(name, prefixes, description.replace(/\s+/g, ' '));
  const isWhole = description === '' || (content.trim() !== '' && deriveStorableTitleOrEmpty(title) === title);
  const [plainTitle, note] = [formatSnippetTitle(name, prefixes), { color: 'neutral', otherwise } as const];
  yield createRecordFromForeignNote(location, {
    ...note,
    title: isWhole ? title : plainTitle,
    content,
    category: getCategoryByLanguages(...languages.map((one) => one.trim())),
    origin: key && tryCreateOriginKey(key, name),
  });
  if (isTransformed) {
    const reason = 'Regular expressions that change a value are left out, as a placeholder has none';
    yield { kind: 'left out', location, reason, count: 0 } as const;
  }
  if (isWhole) return;
  const about = { title: `${plainTitle} — description`, content: description, category: 'notes' } as const;
  yield createRecordFromForeignNote(`${location}, description`, {
    ...note,
    ...about,
    origin: key && tryCreateOriginKey(key, `${name}/description`),
  });
}

/** Formats a title with keywords and description, such as "Log (cl, log): Writes to the console". */
export function formatSnippetTitle(name: string, keywords: readonly string[], description = ''): string {
  const words = keywords.filter((keyword) => keyword.trim() !== '' && keyword !== name);
  const title = words.length === 0 ? name : `${name} (${words.join(', ')})`;
  return getFirstNonBlankOrEmpty(description) === '' || description === name ? title : `${title}: ${description}`;
}

/** Converts a text to a list of it, and a list to its texts. Other values become an empty list. */
const toTextListOrEmpty = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : toArrayOrEmpty(value).map(toTextOrEmpty);
