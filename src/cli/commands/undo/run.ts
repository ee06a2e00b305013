import { NoteError } from '../../../domain/error.ts';
import type { Note } from '../../../domain/note.ts';
import { draftOf, versionAt } from '../../../domain/versions.ts';
import { counted } from '../../../shared/text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { Failures } from '../../failures.ts';
import type { Io } from '../../io.ts';
import { type Entry, lastEntries, type Write } from '../../journal/journal.ts';
import type { RecordedNotes } from '../../journal/recorded-notes.ts';
import { writeEach } from '../../journal/write-each.ts';
import { mayGoOn } from '../../notes/confirm.ts';
import { openNotes, storeNameOf } from '../../notes/open.ts';
import type { NoteFlags } from '../../notes/store-options.ts';
import { planOf, printPlan } from './plan.ts';

/** Undoes the last command on these notes, after a preview. Throws `unavailable` if there is none. */
export async function undo(flags: NoteFlags, io: Io): Promise<ExitCode> {
  const entry = lastEntry(flags, io);
  const { steps, kept } = await planned(entry, flags, io);
  printPlan({ entry, steps, kept }, io);
  const exitCode = kept.length > 0 ? 4 : 0;
  if (steps.length === 0) return exitCode;
  if (!flags.yes && !(await mayGoOn(io))) return 1;
  const writes = steps.map(({ write }) => write);
  return (await undoAll(writes, flags, io)) || exitCode;
}

/** Throws `unavailable` if there is nothing to undo. */
function lastEntry(flags: NoteFlags, io: Io): Entry {
  const place = storeNameOf(io, flags);
  const entries = lastEntries(io.env);
  const entry = entries.find((one) => one.place === place);
  if (entry === undefined) {
    const [other] = entries;
    const elsewhere =
      other === undefined ? '' : `. Your last command changed ${other.place}: choose it with --url or --db`;
    throw new NoteError('unavailable', `There is nothing to undo in ${place}${elsewhere}`);
  }
  if (entry.count === entry.writes.length) return entry;
  const which = `"notes ${entry.command}" wrote ${entry.count} notes, too many to undo`;
  throw new NoteError('unavailable', `${which}. "notes revert" restores them one by one`);
}

async function planned(entry: Entry, flags: NoteFlags, io: Io): ReturnType<typeof planOf> {
  await using store = await openNotes(io, flags);
  return await planOf(entry.writes, store);
}

async function undoAll(writes: readonly Write[], flags: NoteFlags, io: Io): Promise<ExitCode> {
  const failures = new Failures(io);
  const undone = await writeEach(writes, undoWrite, { command: 'undo', flags, failures, io });
  const printsSummary = io.stdout.isTTY && !flags.json && undone > 0;
  if (printsSummary) io.stdout.write(`${counted(undone)} as before. "notes undo" reverses this\n`);
  return failures.exitCode;
}

/** Throws `conflict` if the note has changed since it was written. */
async function undoWrite({ id, before, archived, after }: Write, notes: RecordedNotes): Promise<Note> {
  const version = before === undefined ? undefined : await versionAt(notes.store, id, before);
  const updated = version && (await notes.update({ id, updatedAt: after }, draftOf(version)));
  if (updated !== undefined && archived === undefined) return updated;
  if (archived === undefined)
    throw new NoteError('conflict', `The earlier text of note ${id} is no longer in its history`);
  return notes.setArchived({ id, archived: !archived }, archived, [updated?.updatedAt ?? after]);
}
