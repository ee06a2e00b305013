/**
 * Snippets of VS Code and similar editors: `*.code-snippets`, and `<language>.json` in a folder `snippets`, as JSON
 * with comments. Based on github.com/microsoft/vscode, src/vs/workbench/contrib/snippets/browser/snippetsFile.ts.
 */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { invalid } from '../../../domain/error.ts';
import { type Fields, isObject } from '../../../shared/json.ts';
import { originKey } from '../../origin.ts';
import type { Format, ReadRecord, Source } from '../../record.ts';
import { fieldsOf, firstText, listOf, textOf } from '../fields.ts';
import { readEach, type SourceFile, wholeText } from '../files.ts';
import { recordOf } from '../note-record.ts';
import { categoryOfLanguage } from './language.ts';
import { withPlaceholders } from './tab-stops.ts';

const globalFile = /\.code-snippets$/i;
const languageFile = /(?:^|\/)snippets\/[^/]+\.json$/i;

/** In a source that is itself called `snippets`, files of languages are at the top. */
const fileIn = ({ name }: Source) =>
  /(^|[\\/])snippets[\\/]?$/i.test(name)
    ? /\.code-snippets$|^[^/]+\.json$/i
    : new RegExp(`${globalFile.source}|${languageFile.source}`, 'i');

export const vscodeSnippets: Format = {
  name: 'vscode-snippets',
  description: 'snippets of VS Code: a .code-snippets file, the .json of a language, or the folder snippets',
  isByFile: true,
  recognizes: (source, head) =>
    source.files.length === 0
      ? globalFile.test(source.name) || looksLikeSnippets(head)
      : source.files.some((path) => fileIn(source).test(path)) && !source.files.some((path) => /\.md$/i.test(path)),
  read: (source) => readEach(source, fileIn(source), (file) => readSnippets(file, source)),
};

const looksLikeSnippets = (head: string) =>
  /^\ufeff?\s*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)\s*)*\{/.test(head) &&
  /"body"\s*:\s*["[]/.test(head) &&
  /"prefix"\s*:\s*["[]/.test(head);

async function* readSnippets(file: SourceFile, source: Source): AsyncGenerator<ReadRecord, void, void> {
  const errors: ParseError[] = [];
  const text = await wholeText(file);
  const found: unknown = parse(text, errors, { allowTrailingComma: true });
  if (!isObject(found)) throw invalid(`${file.name} holds no snippets: it is not a JSON object`);
  const { name } = file;
  for (const { error, offset } of errors.slice(0, 1)) {
    const line = text.slice(0, offset).split('\n').length;
    const reason = `It is not valid JSON (${printParseErrorCode(error)})`;
    yield { kind: 'bad', location: `line ${line} of ${name}`, reason };
  }
  const key = source.originOf?.(source.files.length === 0 ? undefined : name);
  const language = globalFile.test(name) ? undefined : name.replace(/^.*[\\/]|\.[^.]*$/g, '');
  for (const [title, snippet] of snippetsIn(found)) {
    yield snippetRecord(`“${title}” of ${name}`, { title, snippet, language, otherwise: file.modifiedAt, key });
  }
}

/** Yields snippets by name; some are nested under a group name. */
function* snippetsIn(found: Fields): Generator<readonly [string, Fields], void, void> {
  for (const [title, value] of Object.entries(found)) {
    const snippet = fieldsOf(value);
    if ('body' in snippet || !Object.values(snippet).some(isObject)) yield [title, snippet];
    else yield* snippetsIn(snippet);
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

function snippetRecord(location: string, { title, snippet, language, otherwise, key }: Snippet): ReadRecord {
  const languages = [language ?? '', ...textOf(snippet['scope']).split(',')];
  return recordOf(location, {
    title: titleOfSnippet(title, textsOf(snippet['prefix']), textsOf(snippet['description']).join(' ')),
    content: withPlaceholders(textsOf(snippet['body']).join('\n')),
    category: categoryOfLanguage(...languages.map((one) => one.trim())),
    color: 'neutral',
    otherwise,
    origin: key && originKey(key, title),
  });
}

/** A title with keywords and description, such as "Log (cl, log): Writes to the console". */
export function titleOfSnippet(name: string, keywords: readonly string[], description = ''): string {
  const words = keywords.filter((keyword) => keyword.trim() !== '' && keyword !== name);
  const title = words.length === 0 ? name : `${name} (${words.join(', ')})`;
  return firstText(description) === '' || description === name ? title : `${title}: ${description}`;
}

/** Reads one text or several. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : listOf(value).map(textOf);
