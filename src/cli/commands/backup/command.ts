import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { withStoreOptions } from '../../notes/store-options.ts';
import type { BackupFlags } from './run.ts';

export const addBackup: AddCommand = (program, io, run) => {
  const command = program
    .command('backup')
    .argument('[target]', 'a file, or a folder that is there (default: beside the database, named by the time)')
    .summary('copy the database, also while it is used')
    .description('copy the database, also while the service runs; the copy is checked, and its path printed')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print path, notes and bytes as JSON');
  withExamples(withStoreOptions(command), [
    ['notes backup', 'beside the database, named by the time'],
    ['notes backup /mnt/backups/', 'in a folder that is there'],
    ['notes backup --force notes-backup.db', 'replaces the last one'],
  ]).action(
    run(async (target: string | undefined, flags: BackupFlags) =>
      (await import('./run.ts')).backUpTo(target, flags, io),
    ),
  );
};
