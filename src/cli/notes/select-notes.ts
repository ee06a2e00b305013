import type { Command, Option } from 'commander';
import { NoteError } from '../../core/error.ts';
import { type Group, type LabelStore, resolveGroup, resolveLabelsInLine } from '../../core/group-labels.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import {
  type Filters,
  formatQuery,
  mergeFilters,
  noFilters,
  parseQuery,
  searchNotesByLine,
} from '../../core/search-line.ts';
import { type Found, type PortableStore, searchLimits } from '../../core/store.ts';
import type { FilterFlags, SortOrder } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { createLabelReader } from './open-notes.ts';

/** What words and flags select: notes that pass both `filter`, which every store knows, and `line`. */
interface Selection {
  readonly filter: NoteFilter;
  /** The words, and the filters of colors or several values. */
  readonly line: string;
  readonly words: string;
  /** The filters of `line`. */
  readonly filters: Filters;
}

/** Joins a line with flags, which count like filters in it. `archived:` in the line overrides the flags. */
export function createSelection(typed: string, flags: FilterFlags): Selection {
  const { category = [], group = [], color = [], archived = false, all = false } = flags;
  const query = parseQuery(typed);
  const { words } = query;
  const chosen = mergeFilters({ ...noFilters, category, group, color }, query.filters);
  const [onlyCategory] = chosen.category.length === 1 ? chosen.category : [];
  const [onlyGroup] = chosen.group.length === 1 ? chosen.group : [];
  const onlyArchived = chosen.archived ?? (all ? undefined : archived);
  const filter = {
    ...(onlyCategory && { category: onlyCategory }),
    ...(onlyGroup && { group: onlyGroup }),
    ...(onlyArchived !== undefined && { archived: onlyArchived }),
  };
  const filters = {
    ...chosen,
    category: onlyCategory ? [] : chosen.category,
    group: onlyGroup ? [] : chosen.group,
    archived: undefined,
  };
  return { filter, line: formatQuery({ words, filters }), words, filters };
}

type Compare = (one: Note, other: Note) => number;

/** Called only to sort, as a collator takes long to create. */
const comparisons = {
  updated: () => compareNewestFirst,
  created: () => (one, other) =>
    compareNewestFirst({ ...one, updatedAt: one.createdAt }, { ...other, updatedAt: other.createdAt }),
  title() {
    const { compare } = new Intl.Collator('en', { numeric: true });
    return (one, other) => compare(one.title, other.title) || compareNewestFirst(one, other);
  },
} satisfies Record<SortOrder, () => Compare>;

export interface FindOptions extends FilterFlags {
  /** Maximum number of notes; all by default. */
  readonly limit?: number;
  /** By default the best match first, or without words the newest. */
  readonly sort?: SortOrder;
}

/** Returns the notes that contain the words and pass the filters, in `words` or by flags. */
export async function findNotes(
  store: PortableStore,
  words: readonly string[],
  { limit = Number.POSITIVE_INFINITY, sort, ...flags }: FindOptions,
): Promise<Found> {
  const selection = createSelection(await resolveLabelsInLine(words.join(' '), store), flags);
  if (sort !== undefined) {
    const { notes } = await findInStoreOrLocally(store, selection, Number.POSITIVE_INFINITY);
    return { notes: notes.toSorted(comparisons[sort]()).slice(0, limit), total: notes.length };
  }
  return findInStoreOrLocally(store, selection, limit);
}

async function findInStoreOrLocally(store: PortableStore, { line, filter }: Selection, limit: number): Promise<Found> {
  const mayBeAnswered = line !== '' || limit <= searchLimits.notes;
  if (store.search !== undefined && mayBeAnswered) {
    const found = await store.search(line, { ...filter, limit: Math.min(limit, searchLimits.notes) });
    if (found && found.notes.length >= Math.min(found.total, limit)) return found; // else it was cut
  }
  const notes = await store.list(filter);
  const all = searchNotesByLine(notes.reverse().sort(compareNewestFirst), line); // mostly sorted once reversed
  return { notes: all.slice(0, limit), total: all.length };
}

/** Replaces labels by their groups in the value of an option. Throws `invalid` for a text that is neither. */
export async function replaceLabelsInGroupOption(command: Command, option: Option, io: Io): Promise<void> {
  const name = option.attributeName();
  const value: unknown = command.getOptionValue(name);
  const labels = createLabelReader(io, command.opts());
  try {
    const groups = Array.isArray(value)
      ? await resolveGroupTexts(value, labels)
      : await resolveGroup(String(value), labels);
    command.setOptionValue(name, groups);
  } catch (error) {
    throw error instanceof NoteError ? error.withMessage(`Option '${option.flags}': ${error.message}`) : error;
  }
}

/** Finds the groups that texts name, each one or several separated by commas. A label may contain a comma. */
async function resolveGroupTexts(
  texts: readonly string[],
  store: Pick<LabelStore, 'labels'>,
): Promise<readonly Group[]> {
  const found: Group[] = [];
  for (const text of texts) {
    const group = await resolveGroup(text, store).catch((error) => {
      if (text.includes(',')) return undefined;
      throw error;
    });
    if (group !== undefined) found.push(group);
    else for (const name of text.split(',')) found.push(await resolveGroup(name.trim(), store));
  }
  return found;
}
