import type { Note } from '../../domain/note.ts';
import { inTurns } from '../../shared/concurrency/in-turns.ts';
import type { Failures } from '../failures.ts';
import { interruptionOf, overdue } from '../interruption.ts';
import type { Io } from '../io.ts';
import { printResult } from '../notes/print.ts';
import type { NoteFlags } from '../notes/store-options.ts';
import { openRecorded } from './open-recorded.ts';
import type { RecordedNotes } from './recorded-notes.ts';

interface Writing {
  readonly command: string;
  /** Printed for each note on a terminal, such as "Archived"; nothing by default. */
  readonly done?: string | undefined;
  readonly flags: NoteFlags;
  readonly failures: Failures;
  readonly io: Io;
}

/** Writes notes, prints them, and returns how many were written. One that fails does not stop the others. */
export async function writeEach<Item>(
  items: readonly Item[],
  write: (item: Item, notes: RecordedNotes) => Promise<Note>,
  { command, done, flags, failures, io }: Writing,
): Promise<number> {
  io.ignoreClosedOutput();
  const signal = interruptionOf(io);
  await using notes = await openRecorded(io, flags, { command });
  const writeOne = async (item: Item) => {
    signal.throwIfAborted();
    const writing = write(item, notes);
    await writing.catch(() => {});
    return () => writing; // so that failures are reported in order
  };
  const writeAll = async () => {
    let count = 0;
    for await (const written of inTurns(items, writeOne)) {
      const note = await failures.orReport(written);
      if (note === undefined) continue;
      count++;
      if (done || flags.json || !io.stdout.isTTY) await printResult(note, done ?? '', { json: flags.json, io });
    }
    return count;
  };
  const print = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
  return await Promise.race([writeAll(), overdue(signal, io, print)]);
}
