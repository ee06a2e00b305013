import { ConfigError } from '../../config.ts';
import { counted } from '../../shared/text.ts';
import type { Present, Restore } from '../../store/sqlite/backup/restore.ts';
import { withExamples } from '../help.ts';
import { type AddCommand, type Io, isInteractive } from '../io.ts';
import { databaseFile, type Elsewhere } from '../notes/database-file.ts';
import { type StoreOptions, withStoreOptions } from '../notes/store-options.ts';

interface RestoreFlags extends StoreOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const elsewhere: Elsewhere = {
  service:
    'Restore a backup on the machine that stores the notes: run this there, without --url. "notes import" works from here',
  postgres: (database) =>
    `PostgreSQL restores its backups itself, into an empty database:\n  pg_restore ${database.replace(/ (\S+)$/, ' --dbname=$1')} notes.dump`,
};

export const addRestore: AddCommand = (program, io, run) => {
  const command = program
    .command('restore')
    .argument('<backup>', 'a file that "notes backup" made')
    .summary('replace the database with a backup')
    .description('replace the database with a backup, while no service runs; the current database is saved first')
    .option('--yes', 'replace without asking')
    .option('--json', 'print path, notes and what was saved as JSON');
  withExamples(withStoreOptions(command), [
    ['notes restore notes-20260131T120000Z.db', ''],
    ['notes restore --yes --db notes.db backup.db', 'without a terminal'],
  ]).action(
    run(async (backup: string, flags: RestoreFlags) => {
      const path = databaseFile(io, flags, elsewhere);
      const { openExclusive } = await import('../../server/open-exclusive.ts');
      const { inspectBackup, prepareRestore } = await import('../../store/sqlite/backup/restore.ts');
      const found = await inspectBackup(backup);
      if (!flags.yes && !isInteractive(io))
        throw new ConfigError('Cannot ask without a terminal: add --yes to replace the notes');
      await using restore = await openExclusive(path, () => prepareRestore(path, backup, found));
      if (!flags.yes && !(await mayReplace(restore, { path, backup, io }))) return 1;
      await take(restore, { path, backup, io });
      const { saved } = restore;
      if (flags.json) io.stdout.write(`${JSON.stringify({ path, notes: restore.backup.notes, saved })}\n`);
      else if (saved !== undefined) io.stdout.write(`${saved}\n`);
      return 0;
    }),
  );
};

interface Files {
  readonly path: string;
  readonly backup: string;
  readonly io: Io;
}

async function mayReplace(restore: Restore, { path, backup, io }: Files): Promise<boolean> {
  if (restore.present.kind === 'none') return true;
  const { confirm } = await import('../terminal/ask.ts');
  const { notes, newest } = restore.backup;
  const what = (notes: number, newest: string | undefined) =>
    newest === undefined ? counted(notes) : `${counted(notes)}, the newest of ${newest}`;
  const there = (present: Present) =>
    present.kind === 'notes' ? what(present.found.notes, present.found.newest) : 'which cannot be opened';
  const question = `Replace ${path} (${there(restore.present)}) with ${backup} (${what(notes, newest)})?`;
  if (await confirm(question, io)) return true;
  io.stderr.write('Nothing was changed\n');
  return false;
}

async function take(restore: Restore, { path, backup, io }: Files): Promise<void> {
  const { interruptionOf } = await import('../interruption.ts');
  const { takeSteps } = await import('../../store/sqlite/backup/restore.ts');
  await takeSteps(restore, interruptionOf(io));
  io.stderr.write(`Restored ${counted(restore.backup.notes)} from ${backup} into ${path}\n`);
  if (restore.saved !== undefined) io.stderr.write('The previous database is saved in\n');
}
