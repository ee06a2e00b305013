/**
 * Matches of espanso: the folder of its settings (`~/.config/espanso`, also as a package), or one of the YAML files in
 * its folder `match`. Based on github.com/espanso/espanso, espanso-config/src/matches/group/loader/yaml/parse.rs, and
 * on github.com/espanso/hub, packages.
 *
 * | in espanso | in the note |
 * |---|---|
 * | `label`, `trigger`, `triggers`, `regex`, `search_terms` | the title, such as "Greeting (:hi, :hello)" |
 * | `replace`, `markdown`, `html`, `form` | the text, without the cursor mark `$|$` |
 * | a variable `clipboard`, `date` | `{{clipboard}}`, `{{date}}` for `%Y-%m-%d`, else `{{name}}` |
 * | `random`, `choice`, fields of forms | a placeholder with choices or a default |
 * | `shell`, `script` | `{{name}}` and a note with the command; the command alone if the text is nothing else |
 * | `echo`, `match` | the text itself |
 * | `image_path`, formats of dates, layouts and labels | left out, and counted |
 * | `word`, `propagate_case` and other settings | left out |
 */
import { extname } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { createInvalidError } from '../../../core/error.ts';
import { type Fields, isObject } from '../../../core/json/json.ts';
import type { PortableNote } from '../../../core/note.ts';
import { isCostlyYaml } from '../../front-matter.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, deriveStorableTitleOrEmpty, type ReadRecord } from '../../record.ts';
import { readFileText, type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { type EspansoMatch, EspansoMatchFiller } from './espanso-matches.ts';
import { type EspansoVariable, toEspansoVariables } from './espanso-variables.ts';
import { formatSnippetTitle } from './vscode-snippets.ts';

export const espansoFormat: NoteFormat = {
  name: 'espanso',
  description: 'matches of espanso: its folder, or a YAML file of its folder match',
  isKnownByEnding: true,
  recognizes: (source, head) =>
    source.files.length === 0
      ? ['.yml', '.yaml', ''].includes(extname(source.name).toLowerCase()) && looksLikeEspansoMatches(head)
      : isEspansoFolder(source),
  async *streamRecords(source) {
    const files: MatchFile[] = [];
    const leftOut = await Array.fromAsync(
      streamRecordsOfMatchingFiles(source, selectMatchFilePattern(source), async function* (file) {
        const parsed = await readAndParseMatchFile(file, source);
        files.push(parsed);
        yield* iterateLeftOutImageRecords(parsed);
      }),
    );
    const known = new EspansoMatchFiller(files);
    for (const file of files) yield* iterateRecordsOfMatchFile(file, known);
    yield* leftOut;
  },
};

const looksLikeEspansoMatches = (head: string) =>
  /^["']?matches["']?[ \t]*:/m.test(head) &&
  /^[ \t]*(?:-[ \t]+)?\{?[ \t]*["']?(?:triggers?|regex)["']?[ \t]*:/m.test(head);

/**
 * Whether a source is the folder of settings, alone or as the only one of an archive, its folder `match`, or a package.
 */
function isEspansoFolder({ name, files }: Source): boolean {
  const [first = ''] = files;
  const root = first.slice(0, first.indexOf('/') + 1);
  const isOnly = root !== '' && files.every((path) => path.startsWith(root));
  const paths = isOnly && root !== 'match/' ? files.map((path) => path.slice(root.length)) : files;
  if (paths.some((path) => /^match\/.+\.ya?ml$/i.test(path))) return true;
  if (paths.includes('package.yml') && paths.includes('_manifest.yml')) return true;
  return /(^|[\\/])match[\\/]?$/i.test(name) && paths.every((path) => /\.ya?ml$/i.test(path));
}

const selectMatchFilePattern = ({ files }: Source) =>
  files.some((path) => /(^|\/)match\//i.test(path))
    ? /(^|\/)match\/(?:.*\/)?(?!_manifest\.ya?ml$|_pkgsource\.ya?ml$)[^/]+\.ya?ml$/i
    : /(^|\/)(?!_manifest\.ya?ml$|_pkgsource\.ya?ml$)[^/]+\.ya?ml$/i;

interface MatchFile {
  readonly name: string;
  readonly modifiedAt: Date;
  /** The origin key of the file. */
  readonly key: string | undefined;
  readonly matches: readonly EspansoMatch[];
  /** The variables for all matches. */
  readonly variables: readonly EspansoVariable[];
}

/** So many tokens are about 15,000 matches, and need 100 MB of memory. */
const maxTokens = 250_000;

async function readAndParseMatchFile(file: SourceFile, source: Source): Promise<MatchFile> {
  const { name, modifiedAt } = file;
  const text = await readFileText(file);
  if (isCostlyYaml(text, maxTokens))
    throw createInvalidError(`${name} is not read: it has more than ${maxTokens} parts`);
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw createInvalidError(`${name} is not valid YAML (line ${error.linePos?.[0].line ?? 1})`);
  const fields = toObjectOrEmpty(toValueWithResolvedAliasesOrThrow(document, name));
  return {
    name,
    modifiedAt,
    key: source.findOriginKey?.(source.files.length === 0 ? undefined : name),
    matches: toArrayOrEmpty(fields['matches']).filter(isObject).map(toEspansoMatch),
    variables: toEspansoVariables(fields['global_vars']),
  };
}

/**
 * Resolves `*anchors`. The parser throws a `ReferenceError` for one that is missing, or that would multiply the text.
 */
function toValueWithResolvedAliasesOrThrow(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw createInvalidError(`${name} is not read: ${error.message}`);
  }
}

function toEspansoMatch(fields: Fields): EspansoMatch {
  const form = toTextOrEmpty(fields['form']);
  const text = getFirstNonBlankOrEmpty(fields['replace'], fields['markdown'], fields['html']);
  return {
    label: toTextOrEmpty(fields['label']).trim(),
    triggers: [fields['trigger'], ...toArrayOrEmpty(fields['triggers'])]
      .map(toTextOrEmpty)
      .filter((trigger) => trigger !== ''),
    regex: toTextOrEmpty(fields['regex']),
    searchTerms: toArrayOrEmpty(fields['search_terms']).map(toTextOrEmpty),
    text: text || form,
    isForm: text === '' && form !== '',
    fields: toObjectOrEmpty(fields['form_fields']),
    variables: toEspansoVariables(fields['vars']),
    isImage: toTextOrEmpty(fields['image_path']) !== '',
  };
}

function* iterateLeftOutImageRecords(file: MatchFile): Generator<ReadRecord, void, void> {
  const reason = 'It is an image, and notes hold text';
  for (const match of file.matches)
    if (match.isImage) yield { kind: 'left out', location: formatMatchLocation(match, file), reason };
}

const getStableNameOrEmpty = ({ triggers, regex, label }: EspansoMatch) =>
  getFirstNonBlankOrEmpty(triggers[0], regex, label);

const formatMatchLocation = (match: EspansoMatch, { name }: Place) =>
  `“${deriveStorableTitleOrEmpty(getStableNameOrEmpty(match))}” of ${name}`;

/** A file says this of all its notes. */
type Place = Pick<MatchFile, 'name' | 'modifiedAt' | 'key'>;

function* iterateRecordsOfMatchFile(file: MatchFile, known: EspansoMatchFiller): Generator<ReadRecord, void, void> {
  const seen = new Map<string, number>();
  for (const match of file.matches.filter(({ isImage }) => !isImage)) {
    const name = getStableNameOrEmpty(match);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const location = formatMatchLocation(match, file);
    yield* iterateRecordsOfMatch(match, location, times === 1 ? name : `${name}/${times}`, { place: file, known });
  }
}

/** Yields a note of a match, and notes of what does not fit into it. */
function* iterateRecordsOfMatch(
  match: EspansoMatch,
  location: string,
  name: string,
  { place, known }: { readonly place: Place; readonly known: EspansoMatchFiller },
): Generator<ReadRecord, void, void> {
  const filled = known.fillAndCacheMatchUnlessFilling(match);
  if (filled === undefined) return;
  const { content, isCommand, details, lost } = filled;
  const { label, searchTerms } = match;
  const keywords = [...match.triggers, match.regex].filter((keyword) => keyword !== '');
  const short = formatLabelAndKeywordsTitle(label, keywords);
  const full = formatLabelAndKeywordsTitle(label, [...keywords, ...searchTerms]);
  const isWhole = deriveStorableTitleOrEmpty(full) === full;
  const title = isWhole ? full : short;
  const createPartRecord = (part: string, text: string, category: PortableNote['category']) =>
    createRecordFromForeignNote(part === '' ? location : `${location}, ${part}`, {
      title: part === '' ? title : `${deriveStorableTitleOrEmpty(short).slice(0, maxTitleStart)} — ${part}`,
      content: text,
      category,
      color: 'neutral',
      otherwise: place.modifiedAt,
      origin: place.key && tryCreateOriginKey(place.key, part === '' ? name : `${name}/${part}`),
    });
  yield createPartRecord(
    '',
    content,
    isCommand ? 'bash-commands' : guessCategoryByTextAndNames(content, `${place.name} ${full}`),
  );
  if (!isWhole) yield createPartRecord('description', full, 'notes');
  for (const [part, detail] of details)
    yield createPartRecord(part, detail.text, detail.isCommand ? 'bash-commands' : 'notes');
  for (const reason of lost) yield { kind: 'left out', location, reason, count: 0 };
}

/** A title of a part has at most so many characters before the name of the part, so that the name is not cut off. */
const maxTitleStart = 150;

/**
 * Formats a title without line breaks, such as "Greeting (:hi, :hello)", or of the keywords alone if the label is
 * empty.
 */
function formatLabelAndKeywordsTitle(label: string, keywords: readonly string[]): string {
  const [first = '', ...others] = keywords;
  const title = label === '' ? formatSnippetTitle(first, others) : formatSnippetTitle(label, keywords);
  return title.replace(/\s+/g, ' ').trim();
}

/** A text that begins with one of these programs is a command. Their names are no usual words. */
const commandStart =
  /^(?:#!|\$ \S|(?:sudo|git|docker|kubectl|ssh|scp|curl|wget|npm|npx|pnpm|yarn|pip3?|python3?|brew|apt(?:-get)?|systemctl|journalctl|rsync|chmod|chown|grep|awk|sed|ffmpeg|terraform|aws|gcloud) \S)/;
const promptWord = /\bprompts?\b/i;
const promptStart = /^(?:you are an? |act as an? |i want you to )/i;

function guessCategoryByTextAndNames(content: string, names: string): PortableNote['category'] {
  if (commandStart.test(content)) return 'bash-commands';
  return promptWord.test(names) || promptStart.test(content) ? 'prompts' : 'notes';
}
