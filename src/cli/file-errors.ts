import { NoteError } from '../core/error.ts';
import { codeOf, messageOf } from '../core/tools/thrown.ts';

/** Turns file system errors of `work` into `unavailable`: "Cannot read notes.json: permission is missing". */
export async function attempt<Result>(doing: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    throw new NoteError('unavailable', `Cannot ${doing} ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Describes a file system error as a clause. */
export function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? messageOf(error);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  ENOSPC: 'the disk is full. Free some space, or choose another place',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the name is too long',
};
