import { streamResultsInBatches } from '../../core/concurrency.ts';
import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import type { NoteFlags } from '../flag-types.ts';
import { awaitWithGracePeriodAfterAbort, interceptStopsAsAbortSignal } from '../interruption.ts';
import type { Io } from '../io.ts';
import { encodePrintableJson } from '../terminal/printable-text.ts';
import type { NoteFailureReporter } from './note-failure-reporter.ts';
import { openNoteStoreOrEmptyDefault, toErrorWithLockHolder } from './open-note-store.ts';
import { printWrittenNote } from './print-written-note.ts';

interface Writing {
  /** Printed for each note on a terminal, such as "Archived"; nothing by default. */
  readonly done?: string | undefined;
  /** Whether the user gave a list of notes, and so gets an array as JSON. */
  readonly isMany: boolean;
  readonly flags: NoteFlags;
  readonly failures: NoteFailureReporter;
  readonly io: Io;
}

/** Writes notes, prints them, and returns how many were written. One that fails does not stop the others. */
export async function writeAndPrintEachNote<Item>(
  items: readonly Item[],
  write: (item: Item, store: PortableStore) => Promise<Note>,
  writing: Writing,
): Promise<number> {
  const { flags, failures, io } = writing;
  io.ignoreClosedOutput();
  const signal = interceptStopsAsAbortSignal(io);
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  /** Returns the result as a function, so that failures are reported in the order of the items. */
  const writeOne = async (item: Item) => {
    signal.throwIfAborted();
    const written = write(item, store).catch((error) => {
      throw toErrorWithLockHolder(error, store.location);
    });
    await written.catch(() => {});
    return () => written;
  };
  const writeAll = async () => {
    const printer = new WrittenNotesPrinter(writing);
    for await (const getWritten of streamResultsInBatches(items, writeOne)) {
      const note = await failures.runOrReport(getWritten);
      if (note !== undefined) printer.printAndCountNote(note);
    }
    printer.printArrayEnd();
    return printer.count;
  };
  const print = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
  return await awaitWithGracePeriodAfterAbort(writeAll(), signal, io, print);
}

/** Prints each note that was written; those of a list as elements of one JSON array, if JSON is wanted. */
class WrittenNotesPrinter {
  count = 0;
  readonly #writing: Writing;
  readonly #isJsonArray: boolean;

  constructor(writing: Writing) {
    this.#writing = writing;
    this.#isJsonArray = writing.isMany && writing.flags.json === true;
  }

  printAndCountNote(note: Note): void {
    const { done, io, flags } = this.#writing;
    if (this.#isJsonArray) io.stdout.write(`${this.count === 0 ? '[' : ','}${encodePrintableJson(note)}`);
    else if (flags.json || done || !io.stdout.isTTY) printWrittenNote(note, done ?? '', { json: flags.json, io });
    this.count++;
  }

  printArrayEnd(): void {
    if (this.#isJsonArray) this.#writing.io.stdout.write(this.count === 0 ? '[]\n' : ']\n');
  }
}
