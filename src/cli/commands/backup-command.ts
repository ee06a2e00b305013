import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { NoteError } from '../../core/error.ts';
import { formatByteSize, formatNoteCount } from '../../core/text/format-counts.ts';
import type { ExitCode } from '../exit-code.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addDatabaseFlag, prependExamplesToHelp } from '../flags.ts';
import { interceptStopsAsAbortSignal } from '../interruption.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { type Elsewhere, getDatabaseFilePathOrThrow } from '../notes/store-location.ts';
import { ProgressLine } from '../terminal/progress-line.ts';

interface BackupFlags extends NoteFlags {
  readonly force?: boolean;
}

const elsewhereTexts: Elsewhere = {
  service:
    'Make a backup on the machine that stores the notes: run this there, without NOTES_URL. ' +
    '"notes export" works from here',
  postgres: (database) =>
    `PostgreSQL makes its backups itself:\n  pg_dump --format=custom --file=notes.dump ${database}`,
};

export const registerBackupCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('backup')
    .argument('[target]', 'a file, or an existing folder (default: beside the database, named by the time)')
    .summary('back up the database, even while it is in use')
    .description('back up the database, even while the service runs; checks the copy and prints its path')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print path, notes and bytes as JSON');
  prependExamplesToHelp(addDatabaseFlag(command), [
    ['notes backup', 'beside the database, named by the time'],
    ['notes backup /mnt/backups/', 'in an existing folder'],
    ['notes backup --force notes-backup.db', 'replaces the last one'],
  ]).action(run((target: string | undefined, flags: BackupFlags) => backUpAndPrintPath(target, flags, io)));
};

/** Copies the database to a file or folder, and prints the path of the copy. Throws `ConfigError`, `unavailable`. */
async function backUpAndPrintPath(target: string | undefined, flags: BackupFlags, io: Io): Promise<ExitCode> {
  const { createBackup } = await import('../../store/sqlite/backup/create-backup.ts');
  const database = getRealPathOfExistingFile(getDatabaseFilePathOrThrow(io, flags, elsewhereTexts));
  using line = new ProgressLine(io.stderr);
  const started = performance.now();
  const backup = await createBackup(database, target ?? dirname(database), {
    signal: interceptStopsAsAbortSignal(io),
    replaces: flags.force === true,
    onProgress: (done, all) =>
      line.update({ step: 'Copying', bytes: done, part: Math.min(1, done / Math.max(1, all)) }),
  });
  line.clear();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  io.stderr.write(`Backed up ${formatNoteCount(backup.notes)} (${formatByteSize(backup.bytes)}) in ${seconds} s\n`);
  io.stdout.write(flags.json ? `${JSON.stringify(backup)}\n` : `${backup.path}\n`);
  return 0;
}

/** Returns the real path of a database file. Throws `unavailable` if there is none, as opening it would create it. */
function getRealPathOfExistingFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return realpathSync(path);
  throw new NoteError('unavailable', `Cannot use ${path}: there are no notes. Name the file that holds them with --db`);
}
