/**
 * Snippets of VS Code and similar editors: `*.code-snippets`, and `<language>.json` in a folder `snippets`, as JSON
 * with comments. Based on github.com/microsoft/vscode, src/vs/workbench/contrib/snippets/browser/snippetsFile.ts.
 */
import { type ParseError, parse, printParseErrorCode, visit } from 'jsonc-parser';
import { invalid } from '../../core/error.ts';
import { type Fields, isObject } from '../../core/json/json.ts';
import type { PortableNote } from '../../core/note.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createBadRecord, createForeignRecord, findTitleLine, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type Source, type SourceFile } from '../source.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';
import { replaceTabStopsByPlaceholders } from './snippet-text.ts';

const styles = ['css', 'scss', 'sass', 'less', 'stylus', 'postcss'];
const shells = ['sh', 'bash', 'shell', 'shellscript', 'zsh', 'fish', 'powershell', 'batchfile', 'bat'];

/** The category of a snippet by its languages, as named by editors. */
export function findCategoryByLanguage(...languages: readonly string[]): PortableNote['category'] {
  if (languages.some((language) => styles.includes(language))) return 'css';
  return languages.some((language) => shells.includes(language)) ? 'bash-commands' : 'notes';
}

const globalFile = /\.code-snippets$/i;
const languageFile = /(?:^|\/)snippets\/[^/]+\.json$/i;

/** In a source that is itself called `snippets`, files of languages are at the top. */
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
      ? globalFile.test(source.name) || looksLikeSnippets(head)
      : source.files.some((path) => createSnippetFilePattern(source).test(path)) &&
        !source.files.some((path) => /\.md$/i.test(path)),
  read: (source) =>
    readEachMatchingFile(source, createSnippetFilePattern(source), (file) => readVscodeSnippetRecords(file, source)),
};

const looksLikeSnippets = (head: string) =>
  /^\ufeff?\s*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)\s*)*\{/.test(head) &&
  /"body"\s*:\s*["[]/.test(head) &&
  /"prefix"\s*:\s*["[]/.test(head);

async function* readVscodeSnippetRecords(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const errors: ParseError[] = [];
  const text = await readFileText(file);
  const found: unknown = parse(text, errors, { allowTrailingComma: true });
  if (!isObject(found)) throw invalid(`${file.name} holds no snippets: it is not a JSON object`);
  const { name } = file;
  for (const { error, offset } of errors.slice(0, 1)) {
    const line = text.slice(0, offset).split('\n').length;
    const reason = `It is not valid JSON (${printParseErrorCode(error)})`;
    yield { kind: 'bad', location: `line ${line} of ${name}`, reason };
  }
  for (const title of findRepeatedTopNames(text))
    yield createBadRecord(`“${title}” of ${name}`, 'Another snippet below has this name. Rename one');
  const key = source.findOriginKey?.(source.files.length === 0 ? undefined : name);
  const language = globalFile.test(name) ? undefined : name.replace(/^.*[\\/]|\.[^.]*$/g, '');
  for (const [title, snippet] of listNamedSnippets(found)) {
    yield* createRecordsOfSnippet(`“${title}” of ${name}`, {
      title,
      snippet,
      language,
      otherwise: file.modifiedAt,
      key,
    });
  }
}

/** The names that occur again at the top, where only the last one counts. */
function findRepeatedTopNames(text: string): readonly string[] {
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
function* listNamedSnippets(found: Fields): Generator<readonly [string, Fields], void, void> {
  for (const [title, value] of Object.entries(found)) {
    const snippet = toObject(value);
    if ('body' in snippet || !Object.values(snippet).some(isObject)) yield [title, snippet];
    else yield* listNamedSnippets(snippet);
  }
}

interface Snippet {
  readonly title: string;
  readonly snippet: Fields;
  /** The language of its file, if the file is for one language. */
  readonly language: string | undefined;
  readonly otherwise: Date;
  /** The key of its file. */
  readonly key: string | undefined;
}

/** Yields a note of the snippet, and one of a description that does not fit into the title or has no snippet. */
function* createRecordsOfSnippet(location: string, { title: name, snippet, language, otherwise, key }: Snippet) {
  const languages = [language ?? '', ...toText(snippet['scope']).split(',')];
  const { text: content, isTransformed } = replaceTabStopsByPlaceholders(toTextList(snippet['body']).join('\n'));
  const prefixes = toTextList(snippet['prefix']);
  const description = toTextList(snippet['description']).join(' ').trim();
  const title = formatSnippetTitle(name, prefixes, description.replace(/\s+/g, ' '));
  const isWhole = description === '' || (content.trim() !== '' && findTitleLine(title) === title);
  const [plainTitle, note] = [formatSnippetTitle(name, prefixes), { color: 'neutral', otherwise } as const];
  yield createForeignRecord(location, {
    ...note,
    title: isWhole ? title : plainTitle,
    content,
    category: findCategoryByLanguage(...languages.map((one) => one.trim())),
    origin: key && tryCreateOriginKey(key, name),
  });
  if (isTransformed) {
    const reason = 'Regular expressions that change a value are left out, as a placeholder has none';
    yield { kind: 'left out', location, reason, count: 0 } as const;
  }
  if (isWhole) return;
  const about = { title: `${plainTitle} — description`, content: description, category: 'notes' } as const;
  yield createForeignRecord(`${location}, description`, {
    ...note,
    ...about,
    origin: key && tryCreateOriginKey(key, `${name}/description`),
  });
}

/** A title with keywords and description, such as "Log (cl, log): Writes to the console". */
export function formatSnippetTitle(name: string, keywords: readonly string[], description = ''): string {
  const words = keywords.filter((keyword) => keyword.trim() !== '' && keyword !== name);
  const title = words.length === 0 ? name : `${name} (${words.join(', ')})`;
  return findFirstText(description) === '' || description === name ? title : `${title}: ${description}`;
}

/** Reads one text or several. */
const toTextList = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : toArray(value).map(toText);
