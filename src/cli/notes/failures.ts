import { NoteError } from '../../domain/error.ts';
import { type ExitCode, exitCodeFor, sentenceOf } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { printable } from '../terminal/style.ts';

/** What keeps single notes of many from being changed: told on stderr, with the exit code of the first one. */
export class Failures {
  exitCode: ExitCode = 0;
  readonly #io: Pick<Io, 'stderr'>;

  constructor(io: Pick<Io, 'stderr'>) {
    this.#io = io;
  }

  /** Undefined for what failed. Throws what the other notes would fail with, too. */
  async orTold<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
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
