import type { Note } from '../../domain/note.ts';
import type { Io } from '../io.ts';

/** Tells what became of a note: a sentence to a person, the id to a program, or the note as JSON. */
export async function tell(
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
