import { type Command, Option } from 'commander';
import { categories, groups } from '../../domain/enums.ts';
import { lineInValues } from '../../domain/labels/named-groups.ts';
import type { Note, NoteFilter } from '../../domain/note.ts';
import { filterBeside, searchLine } from '../../domain/query.ts';
import { newestFirst } from '../../domain/sort.ts';
import { type Found, type PortableStore, searchLimits } from '../../domain/store.ts';

/** Which notes are meant, as flags say; archived ones only when they are asked for. */
export interface FilterFlags {
  readonly category?: Note['category'] | undefined;
  readonly group?: Note['group'] | undefined;
  readonly archived?: boolean | undefined;
  readonly all?: boolean;
}

/** The parser of an option for groups, which have names besides the choices that are offered: see labels/group-flags.ts. */
export const asGiven = (text: string): string => text;

/** Gives a command the flags that say of which kind the notes are that are meant. */
export const withKind = (command: Command): Command =>
  command
    .addOption(new Option('-c, --category <category>', 'only of this category').choices(categories))
    .addOption(new Option('-g, --group <group>', 'only of this group').choices(groups).argParser(asGiven));

/** Gives a command the flags that say which notes are meant. */
export const withFilter = (command: Command): Command =>
  withKind(command)
    .addOption(new Option('--archived', 'only archived notes').conflicts('all'))
    .addOption(new Option('-a, --all', 'archived notes too'));

export function filterOf({ category, group, archived = false, all = false }: FilterFlags): NoteFilter {
  return { ...(category && { category }), ...(group && { group }), ...(!all && { archived }) };
}

interface FindFlags extends FilterFlags {
  /** At most so many; all when left out. */
  readonly limit?: number;
}

/**
 * The notes that are meant: those in which the words stand, the best first; without words all, the newest first. Words may be
 * filters, and what they say of archived notes goes before the flags.
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
  const all = searchLine(notes.reverse().sort(newestFirst), line); // reversed, most are in order already
  return { notes: all.slice(0, limit), total: all.length };
}

interface Wanted {
  readonly filter: NoteFilter;
  readonly limit: number;
}

/** Undefined where the store cannot search, or finds more than it answers. */
async function foundByStore(store: PortableStore, line: string, { filter, limit }: Wanted): Promise<Found | undefined> {
  const mayBeAnswered = line !== '' || limit <= searchLimits.notes;
  if (store.search === undefined || !mayBeAnswered) return undefined;
  const found = await store.search(line, { ...filter, limit: Math.min(limit, searchLimits.notes) });
  return found && found.notes.length >= Math.min(found.total, limit) ? found : undefined;
}
