import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import { inTurns } from '../../core/tools/concurrency.ts';
import { type ExitCode, formatError, toExitCode } from '../exit-code.ts';
import type { NoteFlags } from '../flags.ts';
import { awaitWithGracePeriod, interceptStopSignals } from '../interruption.ts';
import type { Io } from '../io.ts';
import { encodePrintableJson, toPrintableLine } from '../terminal/style.ts';
import { addLockHolder, openNotes } from './open-notes.ts';

/** Reports errors of single notes on stderr. `exitCode` is that of the first error. */
export class NoteFailures {
  exitCode: ExitCode = 0;
  readonly #io: Pick<Io, 'stderr'>;

  constructor(io: Pick<Io, 'stderr'>) {
    this.#io = io;
  }

  /** Returns undefined if `work` failed. Throws errors that would also affect the other notes. */
  async runOrReport<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoteError) || error.code === 'unreachable' || error.code === 'unavailable') throw error;
      this.#io.stderr.write(`notes: ${toPrintableLine(formatError(error))}\n`);
      this.exitCode ||= toExitCode(error);
      return undefined;
    }
  }
}

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

/** Prints the note that a command wrote: a sentence on a terminal, the id in a pipe, or the note as JSON. */
export function printWrittenNote(note: Note, done: string, { json, io }: { json: boolean | undefined; io: Io }): void {
  const { stdout } = io;
  if (json) return void stdout.write(`${encodePrintableJson(note)}\n`);
  if (!stdout.isTTY) return void stdout.write(`${note.id}\n`);
  stdout.write(`${done} note ${note.id}: ${toPrintableLine(note.title)}\n`);
}
