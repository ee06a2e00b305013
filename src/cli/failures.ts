import { NoteError } from '../core/error.ts';
import { type ExitCode, exitCodeFor, sentenceOf } from './exit-code.ts';
import type { Io } from './io.ts';
import { printable } from './terminal/style.ts';

/** Reports errors of single notes on stderr. `exitCode` is that of the first error. */
export class Failures {
  exitCode: ExitCode = 0;
  readonly #io: Pick<Io, 'stderr'>;

  constructor(io: Pick<Io, 'stderr'>) {
    this.#io = io;
  }

  /** Returns undefined if `work` failed. Throws errors that would also affect the other notes. */
  async orReport<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoteError) || error.code === 'unreachable' || error.code === 'unavailable') throw error;
      this.#io.stderr.write(`notes: ${printable(sentenceOf(error))}\n`);
      this.exitCode ||= exitCodeFor(error);
      return undefined;
    }
  }
}
