import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import { inTurns } from '../../core/tools/concurrency.ts';
import type { Failures } from '../failures.ts';
import { interruptionOf, overdue } from '../interruption.ts';
import type { Io } from '../io.ts';
import { openNotes } from './open.ts';
import { printResult } from './print.ts';
import type { NoteFlags } from './store-options.ts';

interface Writing {
  /** Printed for each note on a terminal, such as "Archived"; nothing by default. */
  readonly done?: string | undefined;
  readonly flags: NoteFlags;
  readonly failures: Failures;
  readonly io: Io;
}

/** Writes notes, prints them, and returns how many were written. One that fails does not stop the others. */
export async function writeEach<Item>(
  items: readonly Item[],
  write: (item: Item, store: PortableStore) => Promise<Note>,
  { done, flags, failures, io }: Writing,
): Promise<number> {
  io.ignoreClosedOutput();
  const signal = interruptionOf(io);
  await using store = await openNotes(io, flags);
  const writeOne = async (item: Item) => {
    signal.throwIfAborted();
    const writing = write(item, store);
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
