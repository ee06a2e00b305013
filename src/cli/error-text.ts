import { ConfigError } from '../config/config.ts';
import { NoteError } from '../core/error.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../core/thrown-errors.ts';
import { InterruptedError } from './interrupted-error.ts';

/** Formats an error that ended a command. Adds the cause if a store rejected a request, as commands have no log. */
export function formatError(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && 'path' in error)
    return `Cannot use ${error.path}: ${formatFileErrorClause(error)}`;
  const sentence = getErrorMessage(error);
  if (!(error instanceof NoteError) || error.outcome !== 'none') return sentence;
  const reason = error.code === 'unavailable' || error.code === 'internal' ? getErrorMessage(error.cause ?? '') : '';
  return sentence.includes(reason) ? sentence : `${sentence} (${reason})`;
}

/** Runs `work`, and turns its file system errors into `unavailable`: "Cannot read notes.json: permission is denied". */
export async function runExplainingFileErrors<Result>(
  doing: string,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    throw new NoteError('unavailable', `Cannot ${doing} ${path}: ${formatFileErrorClause(error)}`, { cause: error });
  }
}

/** Formats a file system error as a clause, such as "permission is denied". */
export function formatFileErrorClause(error: unknown): string {
  return fileErrorTexts[getErrorCodeOrEmpty(error)] ?? getErrorMessage(error);
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

/** Returns the error with the path of the file where the user's text is, so that nobody has to write it again. */
export function toErrorWithSavedTextPath(path: string, error: unknown): Error {
  const place = `Your text is kept in ${path}`;
  const options = { cause: error };
  if (error instanceof InterruptedError) return new InterruptedError(place, { ...options, signal: error.signal });
  const text = `${getErrorMessage(error)}. ${place}`;
  if (error instanceof NoteError) return error.withMessage(text);
  return error instanceof ConfigError ? new ConfigError(text, options) : new Error(text, options);
}
