import type { Note } from '../../domain/note.ts';
import type { Io } from '../io.ts';

/** Prints the note that a command has written: a sentence to a person, the id to a program, or the note as JSON. */
export async function printResult(
  note: Note,
  done: string,
  { json, io }: { json: boolean | undefined; io: Io },
): Promise<void> {
  const { stdout } = io;
  if (json) return void stdout.write(`${JSON.stringify(note)}\n`);
  if (!stdout.isTTY) return void stdout.write(`${note.id}\n`);
  const { printable } = await import('../terminal/style.ts');
  stdout.write(`${done} note ${note.id}: ${printable(note.title)}\n`);
}
