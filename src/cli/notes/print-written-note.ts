import type { Note } from '../../core/note.ts';
import type { Io } from '../io.ts';
import { encodePrintableJson, toPrintableLine } from '../terminal/printable-text.ts';

/** Prints the note that a command wrote: a sentence on a terminal, the id in a pipe, or the note as JSON. */
export function printWrittenNote(note: Note, done: string, { json, io }: { json: boolean | undefined; io: Io }): void {
  const { stdout } = io;
  if (json) return void stdout.write(`${encodePrintableJson(note)}\n`);
  if (!stdout.isTTY) return void stdout.write(`${note.id}\n`);
  stdout.write(`${done} note ${note.id}: ${toPrintableLine(note.title)}\n`);
}
