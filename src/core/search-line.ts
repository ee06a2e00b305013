/** The syntax of a search line: words and filters, as `c:css,prompts g:first color:info archived:true`. */
import { fieldValues } from './enums.ts';
import type { Note, NoteFilter } from './note.ts';
import { searchExactlyOrMistyped } from './search.ts';

/** The values each filter accepts. */
const allowedFilterValues = { ...fieldValues, archived: [true, false] } as const;

export type FilterName = keyof typeof allowedFilterValues;
export const filterNames = ['category', 'group', 'color', 'archived'] as const satisfies readonly FilterName[];

/** Filters that a note must all pass. A filter passes any of its values; one without values passes all notes. */
export interface Filters {
  readonly category: readonly Note['category'][];
  readonly group: readonly Note['group'][];
  readonly color: readonly Note['color'][];
  readonly archived: boolean | undefined;
}

/**
 * Labels of categories and groups. A line matches them in any case, with `-` for spaces and commas; several may match.
 */
type LabelsByValue = Readonly<Partial<Record<string, string | null>>>;

export interface Query {
  /** The search words, separated by single spaces. */
  readonly words: string;
  readonly filters: Filters;
}

/** Typed before the colon, as the full names are. */
const shortFilterNames = { category: 'c', group: 'g', color: 'color', archived: 'archived' } as const;

export const noFilters: Filters = { category: [], group: [], color: [], archived: undefined };

/**
 * Parses a line; `labels` are accepted for categories and groups. Anything that is not a valid filter, such as
 * `http://x`, `c:` or `c:unknown`, is a word. The last `archived:` wins.
 */
export function parseQuery(line: string, labels: LabelsByValue = {}): Query {
  const words: string[] = [];
  let filters = noFilters;
  for (const word of line.split(/\s+/)) {
    const wordFilters = tryParseFilterWord(word, labels);
    if (wordFilters) filters = mergeFilters(filters, wordFilters);
    else if (word !== '') words.push(word);
  }
  return { words: words.join(' '), filters };
}

/** The values of a filter, as written in a line. */
const getFilterValuesAsTexts = (filters: Filters, name: FilterName): readonly string[] =>
  [filters[name] ?? []].flat().map(String);

/** Formats a query as a line that `parseQuery` parses back. */
export function formatQuery({ words, filters }: Query): string {
  const parts = filterNames.map((name) => {
    const values = getFilterValuesAsTexts(filters, name);
    return values.length > 0 && `${shortFilterNames[name]}:${values.join(',')}`;
  });
  return [...parts, words].filter(Boolean).join(' ');
}

/** Merges the values of each filter; for `archived`, `other` wins if set. */
export function mergeFilters(one: Filters, other: Filters): Filters {
  return {
    category: [...new Set([...one.category, ...other.category])],
    group: [...new Set([...one.group, ...other.group])],
    color: [...new Set([...one.color, ...other.color])],
    archived: other.archived ?? one.archived,
  };
}

/** Returns the filter to apply along with a line: `archived:` in the line overrides that of the filter. */
export function omitOverriddenArchived(line: string, { archived, ...rest }: NoteFilter): NoteFilter {
  const isReplaced = archived === undefined || parseQuery(line).filters.archived !== undefined;
  return isReplaced ? rest : { archived, ...rest };
}

/** Whether a note meets all conditions of a filter. */
export const matchesNoteFilter = (
  note: Pick<Note, keyof NoteFilter>,
  { archived, category, group }: NoteFilter,
): boolean =>
  (archived ?? note.archived) === note.archived &&
  (category ?? note.category) === note.category &&
  (group ?? note.group) === note.group;

export function matchesNamedFilter(filters: Filters, name: FilterName, note: Pick<Note, FilterName>): boolean {
  if (name === 'archived') return (filters.archived ?? note.archived) === note.archived;
  const values: readonly string[] = filters[name];
  return values.length === 0 || values.includes(note[name]);
}

export function filterNotes<N extends Pick<Note, FilterName>>(notes: readonly N[], filters: Filters): readonly N[] {
  const names = filterNames.filter((name) => getFilterValuesAsTexts(filters, name).length > 0);
  return names.length === 0
    ? notes
    : notes.filter((note) => names.every((name) => matchesNamedFilter(filters, name, note)));
}

/** Splits a word that begins like a filter into its name and the comma-separated values after the colon. */
function findFilterNameAndValues(
  word: string,
  labels: LabelsByValue,
): { name: FilterName; values: readonly string[] } | undefined {
  const [, typedName = '', values = ''] = /^([a-z]+):(.*)$/.exec(word.toLowerCase()) ?? [];
  const name = filterNames.find((one) => one === typedName || shortFilterNames[one] === typedName);
  return name && { name, values: values.split(',').flatMap((typed) => findValuesByLabelAsWord(name, typed, labels)) };
}

/** Returns the values whose label is typed. What is a value, or no label, stays as it is. */
function findValuesByLabelAsWord(name: FilterName, typed: string, labels: LabelsByValue): readonly string[] {
  const allowed = allowedValueTexts(name);
  const found = allowed.includes(typed) ? [] : allowed.filter((value) => getLabelSlug(labels, value) === typed);
  return found.length > 0 ? found : [typed];
}

/** The first word that begins like a filter but is none, such as `c:unknown`. */
export const findInvalidFilter = (line: string, labels: LabelsByValue = {}): string | undefined =>
  line
    .split(/\s+/)
    .find((word) => findFilterNameAndValues(word, labels) && tryParseFilterWord(word, labels) === undefined);

/** The label of a category or group as one word, typed in a line: `at-home` for `At home`. */
export const getLabelSlug = (labels: LabelsByValue, value: string): string | undefined =>
  labels[value]?.toLowerCase().replace(/[\s,]+/g, '-');

/** Searches the notes that pass the filters of the line. */
export function searchNotesByLine(notes: readonly Note[], line: string): Note[] {
  const { words, filters } = parseQuery(line);
  return searchExactlyOrMistyped(filterNotes(notes, filters), words);
}

/** Parses a word as a filter; undefined if it is not one. */
function tryParseFilterWord(word: string, labels: LabelsByValue): Filters | undefined {
  const { name, values } = findFilterNameAndValues(word, labels) ?? {};
  if (name === undefined || values === undefined) return undefined;
  if (!values.every((value) => allowedValueTexts(name).includes(value))) return undefined;
  if (name !== 'archived') return { ...noFilters, [name]: [...new Set(values)] };
  return values.length === 1 ? { ...noFilters, archived: values[0] === 'true' } : undefined;
}

const allowedValueTexts = (name: FilterName): readonly string[] => allowedFilterValues[name].map(String);

/** An incomplete filter in a line. */
export interface FilterCompletion {
  /** The parts of the line before and after it. */
  readonly before: string;
  readonly after: string;
  /** Its completions; `word` is the filter as typed. */
  readonly choices: readonly { readonly value: string; readonly word: string }[];
}

/** Completes the last word that can become a filter; undefined if there is none. */
export function findFilterCompletion(line: string, labels: LabelsByValue = {}): FilterCompletion | undefined {
  for (const { 0: word, index } of [...line.matchAll(/\S+/g)].reverse()) {
    const after = line.slice(index + word.length);
    const isLeft = after !== '' && word.endsWith(':');
    const choices = isLeft ? [] : listFilterValueCompletions(word, labels);
    if (choices.length > 0) return { before: line.slice(0, index), choices, after };
  }
  return undefined;
}

function listFilterValueCompletions(word: string, labels: LabelsByValue): FilterCompletion['choices'] {
  const { name, values = [] } = findFilterNameAndValues(word, labels) ?? {};
  if (name === undefined || tryParseFilterWord(word, labels)) return [];
  const typed = values.at(-1) ?? '';
  const start = word.slice(0, word.length - typed.length);
  return allowedValueTexts(name)
    .filter((value) => value.startsWith(typed) || getLabelSlug(labels, value)?.startsWith(typed))
    .filter((value) => !values.includes(value))
    .map((value) => ({ value, word: start + value }))
    .filter(({ word }) => tryParseFilterWord(word, labels));
}
