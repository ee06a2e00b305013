import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { type Code, NoteError } from '../core/error.ts';
import { messageOf } from '../core/tools/thrown.ts';
import { reasonOf } from './file-errors.ts';

/** Exit codes of all commands and their meanings, shown in the help. */
export const exitCodes = {
  0: 'done',
  1: 'failed',
  2: 'usage error',
  3: 'no such note',
  4: 'the note was changed in the meantime',
  5: 'the service or database does not answer',
  130: 'interrupted',
} as const;
export type ExitCode = keyof typeof exitCodes;

const exitCodeOf = {
  invalid: 2,
  not_found: 3,
  conflict: 4,
  unreachable: 5,
  busy: 1,
  unavailable: 1,
  internal: 1,
} as const satisfies Record<Code, ExitCode>;

/** Thrown when the user presses Ctrl+C, Ctrl+D or Esc. Usually has no message, and nothing is printed then. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Text for an error that ended a command. Adds the cause if a store refused, since commands have no log. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && 'path' in error)
    return `Cannot use ${error.path}: ${reasonOf(error)}`;
  const sentence = messageOf(error);
  if (!(error instanceof NoteError) || error.outcome !== 'none') return sentence;
  const reason = error.code === 'unavailable' || error.code === 'internal' ? messageOf(error.cause ?? '') : '';
  return sentence.includes(reason) ? sentence : `${sentence} (${reason})`;
}

/** Returns the exit code for an error that ended a command. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof NoteError) return exitCodeOf[error.code];
  if (error instanceof ConfigError) return 2;
  if (error instanceof Interrupted) return 130;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return 1;
}
