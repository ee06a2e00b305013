import { NoteError } from '../domain/error.ts';
import type { Note } from '../domain/note.ts';
import type { PortableStore } from '../domain/store.ts';
import { type FilterFlags, findNotes } from './filter.ts';
import { type Io, isInteractive } from './io.ts';

export interface FindFlags extends FilterFlags {
  /** Asks also where only one note is found. */
  readonly pick?: boolean;
}

export interface Search {
  readonly words: readonly string[];
  readonly flags: FindFlags;
  readonly io: Io;
}

const mostNamed = 10;

/**
 * The one note that is meant: by its id, as the only one in which the words stand, or by its whole title. Else a person picks
 * it, while the store is not held. Throws `not_found`, and `invalid` where nobody can be asked.
 */
export async function findNote(open: () => Promise<PortableStore>, { words, flags, io }: Search): Promise<Note> {
  const [first = ''] = words;
  if (words.length === 1 && /^[1-9]\d{0,15}$/.test(first) && !flags.pick) return noteWith(Number(first), open);
  const query = words.join(' ');
  const notes = await notesWith(flags.pick ? [] : words, flags, open);
  const found = flags.pick ? undefined : onlyOne(notes, query);
  if (found !== undefined) return found;
  if (notes.length === 0) throw new NoteError('not_found', query === '' ? 'There are no notes' : noneWith(query));
  if (!isInteractive(io)) throw new NoteError('invalid', ambiguous(notes));
  const { pick } = await import('./terminal/pick.ts');
  return pick(notes, { message: 'Which note?', query, io });
}

async function noteWith(id: number, open: () => Promise<PortableStore>): Promise<Note> {
  await using store = await open();
  return await store.get(id);
}

async function notesWith(words: readonly string[], flags: FilterFlags, open: () => Promise<PortableStore>) {
  await using store = await open();
  return await findNotes(store, words, flags);
}

function onlyOne(notes: readonly Note[], query: string): Note | undefined {
  if (notes.length === 1 && query !== '') return notes[0];
  const titled = notes.filter(({ title }) => title.toLowerCase() === query.toLowerCase());
  return titled.length === 1 ? titled[0] : undefined;
}

const noneWith = (query: string) =>
  `No note has the words "${query}". "notes list" shows those that there are, --all also archived ones`;

function ambiguous(notes: readonly Note[]): string {
  const lines = notes.slice(0, mostNamed).map(({ id, title }) => `  ${id}  ${JSON.stringify(title)}`);
  const rest = notes.length > mostNamed ? `\n  and ${notes.length - mostNamed} more` : '';
  return `${notes.length} notes are meant. Name one by its id:\n${lines.join('\n')}${rest}`;
}
