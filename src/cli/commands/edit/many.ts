import { ConfigError } from '../../../config.ts';
import type { Note, NotePatch } from '../../../domain/note.ts';
import { changedFields } from '../../../domain/versions.ts';
import { inTurns } from '../../../shared/in-turns.ts';
import { counted } from '../../../shared/text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interruptionOf } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openRecorded } from '../../journal/open-recorded.ts';
import { Failures } from '../../notes/failures.ts';
import { filterOf } from '../../notes/filter.ts';
import { givenIds, notesWith } from '../../notes/ids.ts';
import { openNotes } from '../../notes/open.ts';
import { mayChange } from '../../notes/preview.ts';
import { printResult } from '../../notes/print.ts';
import { type EditFlags, isWhere } from './options.ts';

/** Changes category, group and color of many notes after a preview. A note that fails does not stop the others. */
export async function editMany(given: readonly string[], flags: EditFlags, io: Io): Promise<ExitCode> {
  const patch = patchOf(flags);
  const ids = isWhere(flags) ? undefined : await givenIds(given, io);
  const failures = new Failures(io);
  const found = await readNotes(ids, { flags, failures, io });
  const notes = found.filter((note) => changedFields(note, { ...note, ...patch }).length > 0);
  if (found.length > notes.length) io.stderr.write(`${counted(found.length - notes.length)} already had that\n`);
  if (notes.length === 0) return failures.exitCode;
  if (!(await mayChange(notes, { what: `Change ${counted(notes.length)} to ${wordsOf(patch)}`, yes: flags.yes, io })))
    return 1;
  io.ignoreClosedOutput();
  const changed = await updateAll(notes, patch, { flags, failures, io });
  if (!flags.json && io.stdout.isTTY && changed > 1) {
    io.stdout.write(`Changed ${counted(changed)}. "notes undo" reverses this\n`);
  }
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

interface Work {
  readonly flags: EditFlags;
  readonly failures: Failures;
  readonly io: Io;
}

async function readNotes(ids: readonly string[] | undefined, { flags, failures, io }: Work): Promise<readonly Note[]> {
  await using store = await openNotes(io, flags);
  if (ids !== undefined) return await notesWith(ids, store, failures);
  const { whereCategory, whereGroup, whereArchived } = flags;
  return await store.list(filterOf({ category: whereCategory, group: whereGroup, archived: whereArchived }));
}

/** Changes the notes that are still as shown, and returns their number. */
async function updateAll(notes: readonly Note[], patch: NotePatch, { flags, failures, io }: Work): Promise<number> {
  const signal = interruptionOf(io);
  await using recorded = await openRecorded(io, flags, { command: 'edit' });
  const update = (note: Note) => {
    signal.throwIfAborted();
    return failures.orReport(() => recorded.update(note, patch));
  };
  let changed = 0;
  for await (const note of inTurns(notes, async (note) => update(note))) {
    if (note === undefined) continue;
    changed++;
    if (flags.json || !io.stdout.isTTY || notes.length === 1)
      await printResult(note, 'Changed', { json: flags.json, io });
  }
  return changed;
}
