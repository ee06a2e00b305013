import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { type Code, NoteError } from '../core/error.ts';
import { codeOf, messageOf } from '../core/tools/thrown.ts';

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
} as const satisfies Record<Code, ExitCode>;

/** Thrown when the user presses Ctrl+C, Ctrl+D or Esc, or a signal arrives. Without a message, nothing is printed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(message = '', options: ErrorOptions & { readonly signal?: Interrupted['signal'] } = {}) {
    super(message, options);
    this.signal = options.signal ?? 'SIGINT';
  }

  get exitCode(): ExitCode {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}

/** Text for an error that ended a command. Adds the cause if a store refused, since commands have no log. */
export function formatError(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && 'path' in error)
    return `Cannot use ${error.path}: ${formatFileError(error)}`;
  const sentence = messageOf(error);
  if (!(error instanceof NoteError) || error.outcome !== 'none') return sentence;
  const reason = error.code === 'unavailable' || error.code === 'internal' ? messageOf(error.cause ?? '') : '';
  return sentence.includes(reason) ? sentence : `${sentence} (${reason})`;
}

/** Returns the exit code for an error that ended a command. */
export function toExitCode(error: unknown): ExitCode {
  if (error instanceof NoteError) return exitCodesByErrorCode[error.code];
  if (error instanceof ConfigError) return 2;
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return 1;
}

/** Turns file system errors of `work` into `unavailable`: "Cannot read notes.json: permission is denied". */
export async function explainFileErrors<Result>(
  doing: string,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    throw new NoteError('unavailable', `Cannot ${doing} ${path}: ${formatFileError(error)}`, { cause: error });
  }
}

/** Describes a file system error as a clause. */
export function formatFileError(error: unknown): string {
  return fileErrorTexts[codeOf(error)] ?? messageOf(error);
}

const fileErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'the disk is full. Free some space, or choose another place',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the name is too long',
};

/** Extends the message of an error with the path where the text is kept. */
export function addSavedTextPath(path: string, error: unknown): Error {
  const place = `Your text is kept in ${path}`;
  const options = { cause: error };
  if (error instanceof Interrupted) return new Interrupted(place, { ...options, signal: error.signal });
  const text = `${messageOf(error)}. ${place}`;
  if (error instanceof NoteError) return error.reworded(text);
  return error instanceof ConfigError ? new ConfigError(text, options) : new Error(text, options);
}
