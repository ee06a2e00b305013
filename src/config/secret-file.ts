import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** The text of a file that holds a password or tokens. */
export interface SecretFile {
  readonly text: string;
  /** A sentence, if others can read the file or write to it. */
  readonly warning?: string | undefined;
}

/**
 * Reads the file that `variable` names; undefined if it cannot be read. Does not wait for the writer of a named pipe: a
 * running service that reads its tokens again would stand still.
 */
export function tryReadSecretFileWithWarning(path: string, variable: string): SecretFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    return {
      text: readFileSync(fd, 'utf8'),
      warning: formatFileModeWarningIfAny(fstatSync(fd), `${path} (${variable})`),
    };
  } catch {
    return undefined; // a folder
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns a warning if others can use a file, by the rule of OpenSSH for keys: of one's own file, group and others must
 * have no rights. A file of another user is often mounted for this program, as by Kubernetes and systemd, and reaches
 * it by its group: there, only the rights of all others count. Pipes, as of `<(pass show notes)`, and Windows have no
 * such rights.
 */
function formatFileModeWarningIfAny(file: Stats, name: string): string | undefined {
  const user = process.getuid?.();
  if (user === undefined || !file.isFile()) return undefined;
  const isOwn = file.uid === user;
  if ((file.mode & (isOwn ? 0o077 : 0o007)) === 0) return undefined;
  const rights = (file.mode & 0o777).toString(8).padStart(3, '0');
  return `Others can use the secret in ${name}, whose mode is ${rights}. Run chmod ${isOwn ? '600' : 'o='} on it`;
}
