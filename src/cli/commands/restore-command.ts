import { existsSync } from 'node:fs';
import { ConfigError } from '../../config/config.ts';
import { awaitOrAbort } from '../../core/concurrency.ts';
import { formatNoteCount } from '../../core/text/format-counts.ts';
import type { NotesSummary } from '../../store/sqlite/backup/inspect-database.ts';
import type { ExitCode } from '../exit-code.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addDatabaseFlag, prependExamplesToHelp } from '../flags.ts';
import { interceptStopsAsAbortSignal } from '../interruption.ts';
import { canPrompt, type Io, type RegisterCommand } from '../io.ts';
import { confirmOrPrintNothingChanged } from '../notes/confirm-changes.ts';
import { type Elsewhere, getDatabaseFilePathOrThrow } from '../notes/store-location.ts';

const elsewhereTexts: Elsewhere = {
  service:
    'Restore a backup on the machine that stores the notes: run this there, without NOTES_URL. ' +
    '"notes import" works from here',
  postgres: (database) =>
    'PostgreSQL restores its backups itself, into an empty database:\n' +
    `  pg_restore ${database.replace(/ (\S+)$/, ' --dbname=$1')} notes.dump`,
};

export const registerRestoreCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('restore')
    .argument('<backup>', 'a file that "notes backup" made')
    .summary('replace the database with a backup')
    .description('replace the database with a backup, while no service runs; the current database is saved first')
    .option('--yes', 'replace without asking')
    .option('--json', 'print path, notes and what was saved as JSON');
  prependExamplesToHelp(addDatabaseFlag(command), [
    ['notes restore notes-2026-01-31T12-00-00Z.db', ''],
    ['notes restore --yes --db notes.db backup.db', 'without a terminal'],
  ]).action(run((backup: string, flags: NoteFlags) => confirmAndRestore(backup, flags, io)));
};

/** Replaces the database with a backup after a confirmation, and prints where the previous one is saved. */
async function confirmAndRestore(backup: string, flags: NoteFlags, io: Io): Promise<ExitCode> {
  if (/^\d+$/.test(backup) && !existsSync(backup))
    throw new ConfigError(`There is no backup ${backup}. "notes revert ${backup}" reverts a note`);
  const path = getDatabaseFilePathOrThrow(io, flags, elsewhereTexts);
  const { mayHaveHeldNotes, lockAndPrepareRestore, saveAndReplaceDatabase } = await import(
    '../../store/sqlite/backup/restore-database.ts'
  );
  const signal = interceptStopsAsAbortSignal(io);
  await using prepared = await lockAndPrepareRestore(path, backup, signal);
  const { target, backup: found } = prepared;
  const replaced = target.isUsable ? formatNoteCountAndNewest(target) : 'it cannot be opened';
  if (!flags.yes && mayHaveHeldNotes(target)) {
    const change = `replace ${path} (${replaced}) with ${backup} (${formatNoteCountAndNewest(found)})`;
    if (!canPrompt(io)) throw new ConfigError(`Cannot ask without a terminal: add --yes to ${change}`);
    if (!(await awaitOrAbort(confirmOrPrintNothingChanged(`R${change.slice(1)}?`, io), signal))) return 1;
  }
  const saved = await saveAndReplaceDatabase(prepared, { signal });
  io.stderr.write(`Restored ${formatNoteCount(found.notes)} from ${backup} into ${path}\n`);
  if (saved !== undefined) io.stderr.write(`The previous database (${replaced}) is saved in ${saved}\n`);
  if (flags.json) io.stdout.write(`${JSON.stringify({ path, notes: found.notes, saved })}\n`);
  else if (saved !== undefined && !io.stdout.isTTY) io.stdout.write(`${saved}\n`);
  return 0;
}

const formatNoteCountAndNewest = ({ notes, newest }: NotesSummary) =>
  newest === undefined ? formatNoteCount(notes) : `${formatNoteCount(notes)}, the newest of ${newest}`;
