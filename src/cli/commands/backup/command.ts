import { counted, sizeText } from '../../../shared/text.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand, Io } from '../../io.ts';
import { databaseFile, type Elsewhere } from '../../notes/database-file.ts';
import { type StoreOptions, withStoreOptions } from '../../notes/store-options.ts';

interface BackupFlags extends StoreOptions {
  readonly force?: boolean;
  readonly json?: boolean;
}

const elsewhere: Elsewhere = {
  service:
    'A backup is made on the machine that keeps the notes: run it there, without --url. "notes export" works from here',
  postgres: (database) =>
    `PostgreSQL makes its backups itself:\n  pg_dump --format=custom --file=notes.dump ${database}`,
};

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
    run(async (target: string | undefined, flags: BackupFlags) => {
      await backUp(databaseFile(io, flags, elsewhere), { target, flags, io });
      return 0;
    }),
  );
};

interface Wanted {
  readonly target: string | undefined;
  readonly flags: BackupFlags;
  readonly io: Io;
}

async function backUp(given: string, { target, flags, io }: Wanted): Promise<void> {
  const { existingFile, targetOf } = await import('./target.ts');
  const { backUp } = await import('../../../store/sqlite/backup/backup.ts');
  const { ProgressLine } = await import('../../terminal/progress.ts');
  const { interruptionOf } = await import('../../interruption.ts');
  const database = existingFile(given);
  using line = new ProgressLine(io.stderr);
  const started = performance.now();
  const backup = await backUp(database, targetOf(database, target), {
    signal: interruptionOf(io),
    replaces: flags.force === true,
    onProgress: (done, all) => line.show({ step: 'Copying', bytes: done, part: Math.min(1, done / Math.max(1, all)) }),
  });
  line.clear();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  io.stderr.write(`Backed up ${counted(backup.notes)} (${sizeText(backup.bytes)}) in ${seconds} s\n`);
  io.stdout.write(flags.json ? `${JSON.stringify(backup)}\n` : `${backup.path}\n`);
}
