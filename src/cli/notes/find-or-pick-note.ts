import { invalid, NoteError } from '../../core/error.ts';
import { asTyped, fold } from '../../core/folding.ts';
import { lineInValues } from '../../core/labels.ts';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import { both, formatQuery, noFilters, parseQuery } from '../../core/query.ts';
import { holdsEveryWord } from '../../core/search.ts';
import type { FilterFlags, StoreFlags } from '../flag-types.ts';
import { type Io, isInteractive } from '../io.ts';
import { quotePrintable, toPrintableLine } from '../terminal/printable-text.ts';
import { createLabelReader, openNotes } from './open-notes.ts';
import { findNotes } from './select-notes.ts';

export interface FindFlags extends FilterFlags {
  /** Prompts even if only one note matches. */
  readonly pick?: boolean;
  /** Whether the command has `--all`, and may suggest it. */
  readonly hasAll?: boolean;
}

/** Where to search. */
interface SearchContext {
  readonly flags: StoreFlags;
  readonly io: Io;
}

const maxNamed = 10;
const maxSuggestions = 3;

/**
 * Finds one note: by id, as the only one that contains the words, or by its whole title. Otherwise the user picks one
 * while the store is closed, also if only inexact matches are found. Throws `not_found`, and `invalid` without a
 * terminal.
 */
export async function findOrPickNote(words: readonly string[], flags: FindFlags, where: SearchContext): Promise<Note> {
  const { io } = where;
  const line = await lineInValues(words.join(' '), createLabelReader(io, where.flags));
  const { words: query, filters } = parseQuery(line);
  const { hasAll = true } = flags;
  const isAll = flags.all || filters.archived !== undefined;
  const { category = [], group = [], color = [], archived: isArchived } = flags;
  const given = { ...noFilters, category, group, color, archived: isArchived || undefined };
  const chosen = formatQuery({ words: '', filters: both(given, filters) });
  if (flags.pick)
    return promptForMatchingNote(await findMatchingNotes('', { ...flags, all: isAll }, where), line, chosen, io);
  if (words.length > 0 && words.every((word) => /^\d+$/.test(word))) return getNoteById(words, where);
  const notes = await findMatchingNotes(line, flags, where);
  const isExact = notes.some((note) => holdsEveryWord(note, query));
  const found = isExact && words.length > 0 ? findSingleMatch(notes, query) : undefined;
  if (found !== undefined) return found;
  if (notes.length > 0 && isInteractive(io)) return promptForMatchingNote(notes, line, chosen, io);
  if (isExact) throw invalid(formatAmbiguous(notes));
  const isWhole = isAll || (isArchived && hasAll);
  const others = isWhole ? [] : await findMatchingNotes(line, { ...flags, archived: !isArchived }, where);
  const exact = others.filter((note) => holdsEveryWord(note, query));
  if (!hasAll && exact.length > 0) throw new NoteError('not_found', formatAlreadyDone(exact, isArchived));
  const hidden = exact.length;
  if (query !== '') throw new NoteError('not_found', formatNoMatch(query, notes, hidden, hasAll));
  throw new NoteError('not_found', formatNoNotes(hidden, chosen));
}

/** `chosen`: the filters of the line and of flags. */
async function promptForMatchingNote(notes: readonly Note[], line: string, chosen: string, io: Io): Promise<Note> {
  if (notes.length === 0) throw new NoteError('not_found', formatNoNotes(0, chosen));
  if (!isInteractive(io)) throw invalid(formatAmbiguous(notes));
  const { promptForNote } = await import('./prompt-for-note.ts');
  return promptForNote(notes, line, io);
}

async function getNoteById(ids: readonly string[], { flags, io }: SearchContext): Promise<Note> {
  const [given = ''] = ids;
  if (ids.length > 1) throw invalid(`${ids.join(' ')} are ids: give one at a time`);
  const id = Number(given);
  if (!/^[1-9]/.test(given) || !Number.isSafeInteger(id)) throw new NoteError('not_found', message.noSuchNote(given));
  await using store = await openNotes(io, flags);
  return await store.get(id);
}

async function findMatchingNotes(
  line: string,
  filter: FilterFlags,
  { flags, io }: SearchContext,
): Promise<readonly Note[]> {
  await using store = await openNotes(io, flags);
  const { notes } = await findNotes(store, [line], filter);
  return notes;
}

function findSingleMatch(notes: readonly Note[], query: string): Note | undefined {
  if (notes.length === 1) return notes[0];
  const titled = (same: typeof fold) => notes.filter(({ title }) => same(title) === same(query));
  return [titled(asTyped), titled(fold)].find(({ length }) => length === 1)?.[0];
}

/** `chosen`: the filters, as typed in a line. */
function formatNoNotes(archived: number, chosen: string): string {
  if (archived > 0) return `There are only archived notes${chosen && ` for ${chosen}`}: add --all`;
  return chosen === '' ? 'There are no notes. "notes add" creates one' : `No note matches ${chosen}`;
}

/** For notes that archive or unarchive would not change. */
function formatAlreadyDone(notes: readonly Note[], isArchived: boolean | undefined): string {
  const ids = notes.slice(0, maxNamed).map(({ id }) => id);
  const are = ids.length === 1 ? 'is' : 'are';
  return `${ids.join(', ')} ${are} ${isArchived ? 'not' : 'already'} archived`;
}

/** `archived`: the number of archived notes that match. */
function formatNoMatch(query: string, near: readonly Note[], archived: number, hasAll: boolean): string {
  const isOne = query.split(/\s+/).filter(Boolean).length === 1;
  const none = `No note has the ${isOne ? 'word' : 'words'} "${toPrintableLine(query)}"`;
  const have = archived === 1 ? '1 archived note has' : `${archived} archived notes have`;
  if (archived > 0) return `${none}. ${have} ${isOne ? 'it' : 'them'}: add --all`;
  if (near.length === 0) return `${none}. "notes list" shows all notes${hasAll ? ', --all also archived ones' : ''}`;
  const meant = near.slice(0, maxSuggestions).map(({ id, title }) => `${id} ${quotePrintable(title)}`);
  return `${none}. Did you mean ${meant.join(' or ')}?`;
}

function formatAmbiguous(notes: readonly Note[]): string {
  const lines = notes.slice(0, maxNamed).map(({ id, title }) => `  ${id}  ${quotePrintable(title)}`);
  const rest = notes.length > maxNamed ? `\n  and ${notes.length - maxNamed} more` : '';
  return `${notes.length} notes match. Give the id of one:\n${lines.join('\n')}${rest}`;
}
