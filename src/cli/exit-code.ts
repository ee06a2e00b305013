import { CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { type ErrorCode, NoteError } from '../core/error.ts';
import { InterruptedError } from './interrupted-error.ts';

/** Exit codes of all commands and their meanings, shown in the help. */
export const exitCodes = {
  0: 'done',
  1: 'failed',
  2: 'usage error',
  3: 'no such note',
  4: 'the note was changed in the meantime',
  5: 'the service or database does not answer',
  130: 'interrupted',
  143: 'terminated',
} as const;
export type ExitCode = keyof typeof exitCodes;

const exitCodesByErrorCode = {
  invalid: 2,
  not_found: 3,
  conflict: 4,
  unreachable: 5,
  busy: 1,
  unavailable: 1,
  internal: 1,
} as const satisfies Record<ErrorCode, ExitCode>;

/** Returns the exit code for an error that ended a command. */
export function toExitCode(error: unknown): ExitCode {
  if (error instanceof NoteError) return exitCodesByErrorCode[error.code];
  if (error instanceof ConfigError) return 2;
  if (error instanceof InterruptedError) return error.signal === 'SIGINT' ? 130 : 143;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return 1;
}
