import { NoteError } from '../../core/error.ts';
import { formatError } from '../error-text.ts';
import { type ExitCode, toExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';

/** Reports errors of single notes on stderr. `exitCode` is that of the first error. */
export class NoteFailureReporter {
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
