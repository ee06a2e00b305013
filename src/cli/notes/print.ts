import type { Note } from '../../core/note.ts';
import type { Io } from '../io.ts';

/** JSON without terminal control characters: `JSON.stringify` escapes only those below U+0020. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);

/** Prints the note that a command wrote: a sentence on a terminal, the id in a pipe, or the note as JSON. */
export async function printResult(
  note: Note,
  done: string,
  { json, io }: { json: boolean | undefined; io: Io },
): Promise<void> {
  const { stdout } = io;
  if (json) return void stdout.write(`${printableJson(note)}\n`);
  if (!stdout.isTTY) return void stdout.write(`${note.id}\n`);
  const { printable } = await import('../terminal/style.ts');
  stdout.write(`${done} note ${note.id}: ${printable(note.title)}\n`);
}
