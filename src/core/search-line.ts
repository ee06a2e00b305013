/** The syntax of a search line: words and filters, as `c:css,prompts g:first color:info archived:true`. */
import { fieldValues, groups } from './enums.ts';
import type { Note, NoteFilter } from './note.ts';
import { search } from './search.ts';

/** The values each filter accepts. */
const filterValues = { ...fieldValues, archived: [true, false] } as const;

export type FilterName = keyof typeof filterValues;
export const filterNames = ['category', 'group', 'color', 'archived'] as const satisfies readonly FilterName[];

/** Filters that a note must all pass. A filter passes any of its values; one without values passes all notes. */
export interface Filters {
  readonly category: readonly Note['category'][];
  readonly group: readonly Note['group'][];
  readonly color: readonly Note['color'][];
  readonly archived: boolean | undefined;
}

/** Labels of groups. A line matches them in any case, with `-` for spaces and commas; several may match. */
type Names = Readonly<Partial<Record<Note['group'], string | null>>>;

export interface Query {
  /** The search words, separated by single spaces. */
  readonly words: string;
  readonly filters: Filters;
}

/** Typed before the colon, as the full names are. */
const shortest = { category: 'c', group: 'g', color: 'color', archived: 'archived' } as const;

export const noFilters: Filters = { category: [], group: [], color: [], archived: undefined };

/**
 * Parses a line; `names` are accepted for groups. Anything that is not a valid filter, such as `http://x`, `c:` or
 * `c:unknown`, is a word. The last `archived:` wins.
 */
export function parseQuery(line: string, names: Names = {}): Query {
  const words: string[] = [];
  let filters = noFilters;
  for (const word of line.split(/\s+/)) {
    const given = parseFilterWord(word, names);
    if (given) filters = mergeFilters(filters, given);
    else if (word !== '') words.push(word);
  }
  return { words: words.join(' '), filters };
}

/** The values of a filter, as written in a line. */
const filterValueTexts = (filters: Filters, name: FilterName): readonly string[] =>
  [filters[name] ?? []].flat().map(String);

/** Formats a query as a line that `parseQuery` parses back. */
export function formatQuery({ words, filters }: Query): string {
  const parts = filterNames.map((name) => {
    const values = filterValueTexts(filters, name);
    return values.length > 0 && `${shortest[name]}:${values.join(',')}`;
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

export function passesFilter(filters: Filters, name: FilterName, note: Pick<Note, FilterName>): boolean {
  if (name === 'archived') return (filters.archived ?? note.archived) === note.archived;
  const values: readonly string[] = filters[name];
  return values.length === 0 || values.includes(note[name]);
}

export function filterNotes<N extends Pick<Note, FilterName>>(notes: readonly N[], filters: Filters): readonly N[] {
  const names = filterNames.filter((name) => filterValueTexts(filters, name).length > 0);
  return names.length === 0 ? notes : notes.filter((note) => names.every((name) => passesFilter(filters, name, note)));
}

/** Splits a word that begins like a filter into its name and the comma-separated values after the colon. */
function splitFilterWord(word: string, names: Names): { name: FilterName; values: readonly string[] } | undefined {
  const [, given = '', values = ''] = /^([a-z]+):(.*)$/.exec(word.toLowerCase()) ?? [];
  const name = filterNames.find((one) => one === given || shortest[one] === given);
  const named = (typed: string): readonly string[] => {
    const found = groups.filter((group) => formatLabelAsWord(names, group) === typed);
    return found.length > 0 ? found : [typed];
  };
  return name && { name, values: values.split(',').flatMap(name === 'group' ? named : String) };
}

/** The first word that begins like a filter but is none, such as `c:unknown`. */
export const findInvalidFilter = (line: string, names: Names = {}): string | undefined =>
  line.split(/\s+/).find((word) => splitFilterWord(word, names) && parseFilterWord(word, names) === undefined);

/** The label of a group as one word, typed in a line: `at-home` for `At home`. */
export const formatLabelAsWord = (names: Names, group: Note['group']): string | undefined =>
  names[group]?.toLowerCase().replace(/[\s,]+/g, '-');

/** Searches the notes that pass the filters of the line. */
export function searchNotesByLine(notes: readonly Note[], line: string): Note[] {
  const { words, filters } = parseQuery(line);
  return search(filterNotes(notes, filters), words);
}

/** Parses a word as a filter; undefined if it is not one. */
function parseFilterWord(word: string, names: Names): Filters | undefined {
  const { name, values } = splitFilterWord(word, names) ?? {};
  if (name === undefined || values === undefined) return undefined;
  if (!values.every((value) => allowedValueTexts(name).includes(value))) return undefined;
  if (name !== 'archived') return { ...noFilters, [name]: [...new Set(values)] };
  return values.length === 1 ? { ...noFilters, archived: values[0] === 'true' } : undefined;
}

const allowedValueTexts = (name: FilterName): readonly string[] => filterValues[name].map(String);

/** An incomplete filter in a line. */
export interface FilterCompletion {
  /** The parts of the line before and after it. */
  readonly before: string;
  readonly after: string;
  /** Its completions; `word` is the filter as typed. */
  readonly choices: readonly { readonly value: string; readonly word: string }[];
}

/** Completes the last word that can become a filter; undefined if there is none. */
export function completeFilter(line: string, names: Names = {}): FilterCompletion | undefined {
  for (const { 0: word, index } of [...line.matchAll(/\S+/g)].reverse()) {
    const after = line.slice(index + word.length);
    const isLeft = after !== '' && word.endsWith(':');
    const choices = isLeft ? [] : completeFilterWord(word, names);
    if (choices.length > 0) return { before: line.slice(0, index), choices, after };
  }
  return undefined;
}

function completeFilterWord(word: string, names: Names): FilterCompletion['choices'] {
  const { name, values = [] } = splitFilterWord(word, names) ?? {};
  if (name === undefined || parseFilterWord(word, names)) return [];
  const typed = values.at(-1) ?? '';
  const start = word.slice(0, word.length - typed.length);
  const begun = new Set<string>(groups.filter((group) => formatLabelAsWord(names, group)?.startsWith(typed)));
  return allowedValueTexts(name)
    .filter((value) => (value.startsWith(typed) || begun.has(value)) && !values.includes(value))
    .map((value) => ({ value, word: start + value }))
    .filter(({ word }) => parseFilterWord(word, names));
}
