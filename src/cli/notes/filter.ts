import { type Command, Option } from 'commander';
import { categories, groups } from '../../core/enums.ts';
import { lineInValues } from '../../core/labels.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import { filterBeside, searchLine } from '../../core/query.ts';
import { newestFirst } from '../../core/sort.ts';
import { type Found, type PortableStore, searchLimits } from '../../core/store.ts';

/** Flags that select notes. Archived notes are excluded unless asked for. */
export interface FilterFlags {
  readonly category?: Note['category'] | undefined;
  readonly group?: Note['group'] | undefined;
  readonly archived?: boolean | undefined;
  readonly all?: boolean;
}

/** Skips the check of a group option: names of groups are accepted too, see resolveGroups in find.ts. */
export const identity = (text: string): string => text;

/** Adds the flags for category and group to a command. */
export const withKind = (command: Command): Command =>
  command
    .addOption(new Option('-c, --category <category>', 'only of this category').choices(categories))
    .addOption(new Option('-g, --group <group>', 'only of this group').choices(groups).argParser(identity));

/** Adds all flags that select notes to a command. */
export const withFilter = (command: Command): Command =>
  withKind(command)
    .addOption(new Option('--archived', 'only archived notes').conflicts('all'))
    .addOption(new Option('-a, --all', 'archived notes too'));

export function filterOf({ category, group, archived = false, all = false }: FilterFlags): NoteFilter {
  return { ...(category && { category }), ...(group && { group }), ...(!all && { archived }) };
}

interface FindFlags extends FilterFlags {
  /** Maximum number of notes; all by default. */
  readonly limit?: number;
}

/**
 * Returns the notes that contain the words, best match first, or without words all notes, newest first. Words can be
 * filters; those on archived notes override the flags.
 */
export async function findNotes(
  store: PortableStore,
  words: readonly string[],
  { limit = Number.POSITIVE_INFINITY, ...flags }: FindFlags,
): Promise<Found> {
  const line = await lineInValues(words.join(' '), store);
  const filter = filterBeside(line, filterOf(flags));
  const found = await foundByStore(store, line, { filter, limit });
  if (found !== undefined) return found;
  const notes = await store.list(filter);
  const all = searchLine(notes.reverse().sort(newestFirst), line); // mostly sorted once reversed
  return { notes: all.slice(0, limit), total: all.length };
}

interface Wanted {
  readonly filter: NoteFilter;
  readonly limit: number;
}

/** Returns undefined if the store cannot search, or cannot return all notes that it finds. */
async function foundByStore(store: PortableStore, line: string, { filter, limit }: Wanted): Promise<Found | undefined> {
  const mayBeAnswered = line !== '' || limit <= searchLimits.notes;
  if (store.search === undefined || !mayBeAnswered) return undefined;
  const found = await store.search(line, { ...filter, limit: Math.min(limit, searchLimits.notes) });
  return found && found.notes.length >= Math.min(found.total, limit) ? found : undefined;
}
