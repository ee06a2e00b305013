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
import { resolveLabelsInLine } from '../../core/value-labels.ts';
import type { FilterFlags, SortOrder } from '../flag-types.ts';

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
export function mergeSearchLineWithFlags(typed: string, flags: FilterFlags): Selection {
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
export async function findNotesAndTotal(
  store: PortableStore,
  words: readonly string[],
  { limit = Number.POSITIVE_INFINITY, sort, ...flags }: FindOptions,
): Promise<Found> {
  const selection = mergeSearchLineWithFlags(await resolveLabelsInLine(words.join(' '), store), flags);
  if (sort !== undefined) {
    const { notes } = await searchInStoreOrLocally(store, selection, Number.POSITIVE_INFINITY);
    return { notes: notes.toSorted(comparisons[sort]()).slice(0, limit), total: notes.length };
  }
  return searchInStoreOrLocally(store, selection, limit);
}

async function searchInStoreOrLocally(
  store: PortableStore,
  { line, filter }: Selection,
  limit: number,
): Promise<Found> {
  const mayBeAnswered = line !== '' || limit <= searchLimits.notes;
  if (store.search !== undefined && mayBeAnswered) {
    const found = await store.search(line, { ...filter, limit: Math.min(limit, searchLimits.notes) });
    if (found && found.notes.length >= Math.min(found.total, limit)) return found; // else it was cut
  }
  const notes = await store.list(filter);
  const all = searchNotesByLine(notes.reverse().sort(compareNewestFirst), line); // mostly sorted once reversed
  return { notes: all.slice(0, limit), total: all.length };
}
