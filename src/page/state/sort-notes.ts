import type { Note } from '../../core/note.ts';

/** The orders of the list. `match` is that of a search, `changed` the one of the list without a search. */
export const noteSortOrders = ['match', 'changed', 'created', 'title', 'copied'] as const;
export type NoteSortOrder = (typeof noteSortOrders)[number];

export const noteSortOrderLabels: Readonly<Record<NoteSortOrder, string>> = {
  match: 'Best match',
  changed: 'Last changed',
  created: 'Last created',
  title: 'Title',
  copied: 'Most copied',
};

/**
 * Sorts notes, of which those that compare as equal stay in the order they come in. `before`: the last result for the
 * same order. Sorting begins with it, so that a list of which few notes have changed is compared only once.
 */
export function sortNotes(
  notes: readonly Note[],
  sort: NoteSortOrder,
  mostCopied: readonly Note['id'][],
  before: readonly Note[] = [],
): readonly Note[] {
  const compare = tryCreateCompare(sort, mostCopied);
  if (!compare) return notes;
  const places = new Map(notes.map((note, place) => [note, place]));
  const first = before.filter((note) => places.has(note));
  const known = new Set(first);
  const others = notes.filter((note) => !known.has(note));
  return [...first, ...others].sort(
    (one, other) => compare(one, other) || (places.get(one) ?? 0) - (places.get(other) ?? 0),
  );
}

type Compare = (one: Note, other: Note) => number;

function tryCreateCompare(sort: NoteSortOrder, mostCopied: readonly Note['id'][]): Compare | undefined {
  if (sort === 'title') {
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    return (one, other) => compare(one.title, other.title);
  }
  if (sort === 'created') return (one, other) => compareCodeUnits(other.createdAt, one.createdAt);
  if (sort !== 'copied') return undefined;
  const ranks = new Map(mostCopied.map((id, rank) => [id, rank]));
  const getCopyRank = ({ id }: Note) => ranks.get(id) ?? mostCopied.length;
  return (one, other) => getCopyRank(one) - getCopyRank(other);
}

function compareCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
