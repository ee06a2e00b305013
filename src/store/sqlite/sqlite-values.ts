import type { Note } from '../../core/note.ts';
import type { noteFields } from '../note-fields.ts';

/** Converts a field of a note to the value of its column, as SQLite has neither booleans nor times. */
export function toColumnValue({ name, type }: (typeof noteFields)[number], note: Note): string | number {
  const value = note[name];
  if (type === 'time') return Date.parse(String(value));
  return typeof value === 'boolean' ? Number(value) : value;
}
