import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { withStoreOptions } from '../../notes/store-options.ts';
import type { BackupFlags } from './run.ts';

export const addBackup: AddCommand = (program, io, run) => {
  const command = program
    .command('backup')
    .argument('[target]', 'a file, or an existing folder (default: beside the database, named by the time)')
    .summary('back up the database, even while it is in use')
    .description('back up the database, even while the service runs; checks the copy and prints its path')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print path, notes and bytes as JSON');
  withExamples(withStoreOptions(command), [
    ['notes backup', 'beside the database, named by the time'],
    ['notes backup /mnt/backups/', 'in an existing folder'],
    ['notes backup --force notes-backup.db', 'replaces the last one'],
  ]).action(
    run(async (target: string | undefined, flags: BackupFlags) =>
      (await import('./run.ts')).backUpTo(target, flags, io),
    ),
  );
};
