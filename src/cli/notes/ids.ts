import { buffer } from 'node:stream/consumers';
import { invalid } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { inTurns } from '../../shared/concurrency/in-turns.ts';
import { isObject, parsed } from '../../shared/json.ts';
import type { Failures } from '../failures.ts';
import type { Io } from '../io.ts';
import { printable } from '../terminal/style.ts';
import { openNotes } from './open.ts';
import type { StoreOptions } from './store-options.ts';

/** Returns the given ids, with `-` replaced by the ids on standard input. Throws `invalid` for anything else. */
export async function givenIds(given: readonly string[], { stdin }: Pick<Io, 'stdin'>): Promise<readonly string[]> {
  const piped = given.includes('-') ? idsIn((await buffer(stdin)).toString()) : [];
  const ids = given.flatMap((id) => (id === '-' ? piped : id));
  refuseOtherThanIds(ids);
  return ids;
}

interface Reading {
  readonly flags: StoreOptions;
  readonly failures: Failures;
  readonly io: Io;
}

/** Reads the notes with these ids, without duplicates. Reports missing ones as failures. */
export async function notesWith(ids: readonly string[], { flags, failures, io }: Reading): Promise<readonly Note[]> {
  const { parseId } = await import('../../domain/parse.ts');
  await using store = await openNotes(io, flags);
  const read = inTurns([...new Set(ids)], (id) => failures.orReport(async () => store.get(parseId(id))));
  const notes = await Array.fromAsync(read);
  return notes.filter((note) => note !== undefined);
}

/**
 * Parses ids from the output of another command: tab-separated lines, a JSON array of notes, or a note as JSON on each
 * line. Throws `invalid`.
 */
function idsIn(text: string): string[] {
  if (text.trimStart().startsWith('[')) return [jsonIn(text)].flat().map(idOf);
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).map((line) => (line.startsWith('{') ? idOf(jsonIn(line)) : line.replace(/\s.*/, '')));
}

function refuseOtherThanIds(given: readonly string[]): void {
  const word = given.find((id) => !/^\d+$/.test(id));
  if (word === undefined) return;
  const shown = printable(word.slice(0, 100));
  throw invalid(`"${shown}" is not an id. "notes list ${shown}" shows ids`);
}

function jsonIn(text: string): unknown {
  const value = parsed(text);
  if (value === undefined) throw invalid('Standard input looks like JSON, but is not valid JSON');
  return value;
}

function idOf(note: unknown): string {
  if (isObject(note) && 'id' in note) return String(note['id']);
  throw invalid('Standard input must hold notes, each with its id');
}
