import { ConfigError } from '../../../config.ts';
import { counted } from '../../../shared/text.ts';
import type { Restore } from '../../../store/sqlite/backup/restore.ts';
import { withExamples } from '../../help.ts';
import { interruptionOf } from '../../interruption.ts';
import { type AddCommand, type Io, isInteractive } from '../../io.ts';
import { forgetEntries } from '../../journal/journal.ts';
import { confirmChange } from '../../notes/confirm.ts';
import { storeNameOf } from '../../notes/open.ts';
import { type NoteFlags, withDatabase } from '../../notes/store-options.ts';
import { databaseFile, type Elsewhere } from './database-file.ts';

const elsewhere: Elsewhere = {
  service:
    'Restore a backup on the machine that stores the notes: run this there, without NOTES_URL. ' +
    '"notes import" works from here',
  postgres: (database) =>
    'PostgreSQL restores its backups itself, into an empty database:\n' +
    `  pg_restore ${database.replace(/ (\S+)$/, ' --dbname=$1')} notes.dump`,
};

export const addRestore: AddCommand = (program, io, run) => {
  const command = program
    .command('restore')
    .argument('<backup>', 'a file that "notes backup" made')
    .summary('replace the database with a backup')
    .description('replace the database with a backup, while no service runs; the current database is saved first')
    .option('--yes', 'replace without asking')
    .option('--json', 'print path, notes and what was saved as JSON');
  withExamples(withDatabase(command), [
    ['notes restore notes-20260131T120000Z.db', ''],
    ['notes restore --yes --db notes.db backup.db', 'without a terminal'],
  ]).action(
    run(async (backup: string, flags: NoteFlags) => {
      const path = databaseFile(io, flags, elsewhere);
      const { inspectBackup, prepareRestore, takeSteps } = await import('../../../store/sqlite/backup/restore.ts');
      const found = await inspectBackup(backup);
      if (!flags.yes && !isInteractive(io))
        throw new ConfigError('Cannot ask without a terminal: add --yes to replace the notes');
      await using restore = await prepareRestore(path, backup, found);
      if (!flags.yes && !(await mayReplace(restore, { path, backup }, io))) return 1;
      await takeSteps(restore, interruptionOf(io));
      forgetEntries(io.env, storeNameOf(io, flags));
      io.stderr.write(`Restored ${counted(restore.backup.notes)} from ${backup} into ${path}\n`);
      const { saved } = restore;
      if (saved !== undefined) io.stderr.write('The previous database is saved in\n');
      if (flags.json) io.stdout.write(`${JSON.stringify({ path, notes: restore.backup.notes, saved })}\n`);
      else if (saved !== undefined) io.stdout.write(`${saved}\n`);
    }),
  );
};

/** Asks for confirmation if there are notes to replace. */
async function mayReplace({ target, backup }: Restore, files: { path: string; backup: string }, io: Io) {
  if (target.kind === 'none') return true;
  const what = ({ notes, newest }: Restore['backup']) =>
    newest === undefined ? counted(notes) : `${counted(notes)}, the newest of ${newest}`;
  const there = target.kind === 'notes' ? what(target.found) : 'which cannot be opened';
  return await confirmChange(`Replace ${files.path} (${there}) with ${files.backup} (${what(backup)})?`, io);
}
