import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import { inTurns } from '../../core/tools/concurrency.ts';
import type { NoteFlags } from '../flag-types.ts';
import { awaitWithGracePeriod, interceptStopSignals } from '../interruption.ts';
import type { Io } from '../io.ts';
import { encodePrintableJson } from '../terminal/printable-text.ts';
import type { NoteFailures } from './note-failures.ts';
import { addLockHolder, openNotes } from './open-notes.ts';
import { printWrittenNote } from './print-written-note.ts';

interface Writing {
  /** Printed for each note on a terminal, such as "Archived"; nothing by default. */
  readonly done?: string | undefined;
  /** Whether the user gave a list of notes, and so gets an array as JSON. */
  readonly isMany: boolean;
  readonly flags: NoteFlags;
  readonly failures: NoteFailures;
  readonly io: Io;
}

/** Writes notes, prints them, and returns how many were written. One that fails does not stop the others. */
export async function writeEachNote<Item>(
  items: readonly Item[],
  write: (item: Item, store: PortableStore) => Promise<Note>,
  { done, isMany, flags: { json = false, ...flags }, failures, io }: Writing,
): Promise<number> {
  io.ignoreClosedOutput();
  const signal = interceptStopSignals(io);
  await using store = await openNotes(io, flags);
  const writeOne = async (item: Item) => {
    signal.throwIfAborted();
    const writing = write(item, store).catch((error) => {
      throw addLockHolder(error, store.location);
    });
    await writing.catch(() => {});
    return () => writing; // so that failures are reported in order
  };
  const writeAll = async () => {
    let count = 0;
    for await (const written of inTurns(items, writeOne)) {
      const note = await failures.runOrReport(written);
      if (note === undefined) continue;
      if (json && isMany) io.stdout.write(`${count === 0 ? '[' : ','}${encodePrintableJson(note)}`);
      else if (json || done || !io.stdout.isTTY) printWrittenNote(note, done ?? '', { json, io });
      count++;
    }
    if (json && isMany) io.stdout.write(count === 0 ? '[]\n' : ']\n');
    return count;
  };
  const print = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
  return await awaitWithGracePeriod(writeAll(), signal, io, print);
}
