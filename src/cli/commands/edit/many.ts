import { ConfigError } from '../../../config.ts';
import type { NotePatch } from '../../../core/note.ts';
import { counted } from '../../../core/tools/text.ts';
import { hasSameFields } from '../../../core/versions.ts';
import type { ExitCode } from '../../exit-code.ts';
import { Failures } from '../../failures.ts';
import type { Io } from '../../io.ts';
import { mayChange } from '../../notes/confirm.ts';
import { filterOf } from '../../notes/filter.ts';
import { givenIds, notesWith } from '../../notes/ids.ts';
import { openNotes } from '../../notes/open.ts';
import { writeEach } from '../../notes/write-each.ts';
import type { EditFlags } from './one.ts';

/** Changes category, group and color of the given notes, or of those that the flags select, after a preview. */
export async function editMany(given: readonly string[] | undefined, flags: EditFlags, io: Io): Promise<ExitCode> {
  const patch = patchOf(flags);
  const failures = new Failures(io);
  const found = given
    ? await Array.fromAsync(notesWith(await givenIds(given, io), { flags, failures, io }))
    : await notesWhere(flags, io);
  const notes = found.filter((note) => !hasSameFields(note, { ...note, ...patch }));
  if (found.length > notes.length) io.stderr.write(`${counted(found.length - notes.length)} already had that\n`);
  if (notes.length === 0) return failures.exitCode;
  const what = `Change ${counted(notes.length)} to ${wordsOf(patch)}`;
  if (!flags.yes && !(await mayChange(notes, what, io))) return 1;
  const changed = await writeEach(
    notes,
    (note, store) => store.update(note.id, patch, [note.updatedAt]), // fails if it is no longer as shown
    { done: notes.length === 1 ? 'Changed' : undefined, flags, failures, io },
  );
  if (!flags.json && io.stdout.isTTY && changed > 1) io.stdout.write(`Changed ${counted(changed)}\n`);
  return failures.exitCode;
}

/** Returns the changes for all notes. Throws `ConfigError` for title or text, which notes must not share. */
function patchOf(flags: EditFlags): NotePatch {
  const { title, message, file, category, group, color } = flags;
  const patch = { ...(category && { category }), ...(group && { group }), ...(color && { color }) };
  if (title !== undefined || message !== undefined || file !== undefined) {
    throw new ConfigError('Many notes cannot share a title or text: give only --category, --group and --color');
  }
  if (Object.keys(patch).length > 0) return patch;
  throw new ConfigError('Say what to change: --category, --group or --color');
}

const wordsOf = (patch: NotePatch) =>
  Object.entries(patch)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

async function notesWhere({ whereCategory, whereGroup, whereArchived, ...flags }: EditFlags, io: Io) {
  await using store = await openNotes(io, flags);
  return await store.list(filterOf({ category: whereCategory, group: whereGroup, archived: whereArchived }));
}
