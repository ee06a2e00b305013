import { createInvalidError, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { fold, toLowerCaseNfc } from '../../core/folding.ts';
import type { Note } from '../../core/note.ts';
import { noteContainsAllQueryWords } from '../../core/search.ts';
import { formatQuery, mergeFilters, noFilters, parseQuery } from '../../core/search-line.ts';
import { resolveLabelsInLine } from '../../core/value-labels.ts';
import type { FilterFlags, StoreFlags } from '../flag-types.ts';
import { canPrompt, type Io } from '../io.ts';
import { quotePrintable, toPrintableLine } from '../terminal/printable-text.ts';
import { findNotesAndTotal } from './find-notes.ts';
import { createLabelReaderOpeningStore, openNoteStoreOrEmptyDefault } from './open-note-store.ts';

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

/** What the words and flags ask for. */
interface NoteQuery {
  /** The words and filters, with values instead of their labels. */
  readonly line: string;
  /** The words alone. */
  readonly words: string;
  /** The filters of line and flags, as typed in a line. */
  readonly filters: string;
  /** Whether archived notes are found too. */
  readonly includesArchived: boolean;
}

/**
 * Finds one note: by id, as the only one that contains the words, or by its whole title. Otherwise prompts the user to
 * pick one while the store is closed, also if only inexact matches are found. Throws `not_found`, and `invalid` without
 * a terminal.
 */
export async function findOrPickNote(
  words: readonly string[],
  flags: FindFlags,
  context: SearchContext,
): Promise<Note> {
  const query = await readLabelsAndCreateNoteQuery(words, flags, context);
  if (flags.pick) {
    const all = await openStoreAndReadMatchingNotes('', { ...flags, all: query.includesArchived }, context);
    return promptForMatchingNote(all, query, context.io);
  }
  if (words.length > 0 && words.every((word) => /^\d+$/.test(word)))
    return openStoreAndReadNoteBySingleId(words, context);
  const notes = await openStoreAndReadMatchingNotes(query.line, flags, context);
  const hasExactMatch = notes.some((note) => noteContainsAllQueryWords(note, query.words));
  const onlyNote = hasExactMatch && words.length > 0 ? findOnlyNoteOrByTitle(notes, query.words) : undefined;
  if (onlyNote !== undefined) return onlyNote;
  if (notes.length > 0 && canPrompt(context.io)) return promptForMatchingNote(notes, query, context.io);
  if (hasExactMatch) throw createInvalidError(formatAmbiguousMessage(notes));
  throw await searchOthersAndCreateNotFoundError(notes, query, flags, context);
}

async function readLabelsAndCreateNoteQuery(
  typed: readonly string[],
  { all = false, archived, category = [], group = [], color = [] }: FindFlags,
  { io, flags }: SearchContext,
): Promise<NoteQuery> {
  const line = await resolveLabelsInLine(typed.join(' '), createLabelReaderOpeningStore(io, flags));
  const { words, filters } = parseQuery(line);
  const ofFlags = { ...noFilters, category, group, color, archived: archived || undefined };
  return {
    line,
    words,
    filters: formatQuery({ words: '', filters: mergeFilters(ofFlags, filters) }),
    includesArchived: all || filters.archived !== undefined,
  };
}

/** Creates the error of a query without an exact match. `near`: the inexact ones. Looks among the other notes first. */
async function searchOthersAndCreateNotFoundError(
  near: readonly Note[],
  query: NoteQuery,
  flags: FindFlags,
  context: SearchContext,
): Promise<NoteError> {
  const { hasAll = true, archived: isArchived } = flags;
  const searchedAll = query.includesArchived || (isArchived && hasAll);
  const others = searchedAll
    ? []
    : await openStoreAndReadMatchingNotes(query.line, { ...flags, archived: !isArchived }, context);
  const matches = others.filter((note) => noteContainsAllQueryWords(note, query.words));
  if (!hasAll && matches.length > 0) return new NoteError('not_found', formatArchivedStateMessage(matches, isArchived));
  if (query.words !== '')
    return new NoteError('not_found', formatNoMatchMessage(query.words, near, matches.length, hasAll));
  return new NoteError('not_found', formatNoNotesMessage(matches.length, query.filters));
}

/** Prompts for one of the notes. Throws `not_found` if there are none, and `invalid` without a terminal. */
async function promptForMatchingNote(notes: readonly Note[], query: NoteQuery, io: Io): Promise<Note> {
  if (notes.length === 0) throw new NoteError('not_found', formatNoNotesMessage(0, query.filters));
  if (!canPrompt(io)) throw createInvalidError(formatAmbiguousMessage(notes));
  const { promptForNote } = await import('./prompt-for-note.ts');
  return promptForNote(notes, query.line, io);
}

async function openStoreAndReadNoteBySingleId(ids: readonly string[], { flags, io }: SearchContext): Promise<Note> {
  const [text = ''] = ids;
  if (ids.length > 1) throw createInvalidError(`${ids.join(' ')} are ids: give one at a time`);
  const id = Number(text);
  if (!/^[1-9]/.test(text) || !Number.isSafeInteger(id)) throw new NoteError('not_found', message.noSuchNote(text));
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  return await store.get(id);
}

async function openStoreAndReadMatchingNotes(
  line: string,
  filter: FilterFlags,
  { flags, io }: SearchContext,
): Promise<readonly Note[]> {
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  const { notes } = await findNotesAndTotal(store, [line], filter);
  return notes;
}

function findOnlyNoteOrByTitle(notes: readonly Note[], query: string): Note | undefined {
  if (notes.length === 1) return notes[0];
  const titled = (same: typeof fold) => notes.filter(({ title }) => same(title) === same(query));
  return [titled(toLowerCaseNfc), titled(fold)].find(({ length }) => length === 1)?.[0];
}

/** Formats the error for filters that no note passes. `chosen`: the filters, as typed in a line. */
function formatNoNotesMessage(archived: number, chosen: string): string {
  if (archived > 0) return `There are only archived notes${chosen && ` for ${chosen}`}: add --all`;
  return chosen === '' ? 'There are no notes. "notes add" creates one' : `No note matches ${chosen}`;
}

/** Formats the error for notes that archive or unarchive would not change. */
function formatArchivedStateMessage(notes: readonly Note[], isArchived: boolean | undefined): string {
  const ids = notes.slice(0, maxNamed).map(({ id }) => id);
  const are = ids.length === 1 ? 'is' : 'are';
  return `${ids.join(', ')} ${are} ${isArchived ? 'not' : 'already'} archived`;
}

/** Formats the error for words that no note has. `archived`: the number of archived notes that match. */
function formatNoMatchMessage(query: string, near: readonly Note[], archived: number, hasAll: boolean): string {
  const isOne = query.split(/\s+/).filter(Boolean).length === 1;
  const none = `No note has the ${isOne ? 'word' : 'words'} "${toPrintableLine(query)}"`;
  const have = archived === 1 ? '1 archived note has' : `${archived} archived notes have`;
  if (archived > 0) return `${none}. ${have} ${isOne ? 'it' : 'them'}: add --all`;
  if (near.length === 0) return `${none}. "notes list" shows all notes${hasAll ? ', --all also archived ones' : ''}`;
  const meant = near.slice(0, maxSuggestions).map(({ id, title }) => `${id} ${quotePrintable(title)}`);
  return `${none}. Did you mean ${meant.join(' or ')}?`;
}

function formatAmbiguousMessage(notes: readonly Note[]): string {
  const lines = notes.slice(0, maxNamed).map(({ id, title }) => `  ${id}  ${quotePrintable(title)}`);
  const rest = notes.length > maxNamed ? `\n  and ${notes.length - maxNamed} more` : '';
  return `${notes.length} notes match. Give the id of one:\n${lines.join('\n')}${rest}`;
}
