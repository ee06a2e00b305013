import { NoteError } from '../../../core/error.ts';
import type { PortableStore } from '../../../core/store.ts';
import { count } from '../../../core/tools/text.ts';
import { Importer } from '../../../formats/importer.ts';
import { originsIn } from '../../../formats/origin.ts';
import { type ExitCode, reasonOf } from '../../exit-code.ts';
import { interruptionOf } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openOrCreateNotes, storeNameOf } from '../../notes/open.ts';
import { printable } from '../../terminal/style.ts';
import type { SourceFlags } from '../import/options.ts';
import { ImportPrinter } from '../import/print.ts';
import { askerOf, ignoredSecrets, SecretGuard } from '../import/secrets.ts';
import { AddedNotes, digest } from '../import/targets.ts';
import { ChangedFiles } from './changed.ts';
import { rounds } from './rounds.ts';
import { SyncState } from './state.ts';

export interface SyncFlags extends SourceFlags {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
}

/** Imports changes in files and folders since the last time, once or until stopped. */
export async function sync(sources: readonly string[], flags: SyncFlags, io: Io): Promise<ExitCode> {
  const signal = interruptionOf(io);
  if (!flags.watch) return syncOnce(sources, flags, io, signal);
  for await (const _ of rounds(sources, flags.every * 1000, signal)) {
    try {
      await syncOnce(sources, flags, io, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof NoteError)) throw error;
      io.stderr.write(`notes: ${printable(error.message)}. Trying again\n`);
    }
  }
  throw signal.reason;
}

async function syncOnce(sources: readonly string[], flags: SyncFlags, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const state = new SyncState(io.env, storeNameOf(io, flags));
  await using store = await openOrCreateNotes(io, flags);
  const stored = await takenIn(store);
  using printer = new ImportPrinter(io, flags);
  const ask = flags.watch ? undefined : askerOf(io, printer);
  const secrets = new SecretGuard(printer, ask, ignoredSecrets(io.env, flags.ignore));
  const changed = new ChangedFiles({ state, stored, secrets, stdin: io.stdin, category: flags.category, signal });
  const importer = new Importer(new AddedNotes(store), {
    ...(!flags.allowSecrets && { guard: secrets }),
    ...printer.events(() => undefined),
    isOriginHeld: (key) => state.holds(key),
    digest,
  });
  try {
    await importer.run(changed.records(sources));
    changed.keep(changed.changed > 0 ? await takenIn(store) : stored);
    save(state, io);
  } finally {
    const { files, changed: read } = changed;
    if (read > 0 || !flags.watch)
      printer.printReport(
        importer.report,
        `${count(read)} changed ${read === 1 ? 'file' : 'files'} of ${count(files)}`,
      );
  }
  for (const failure of changed.failures) printer.print(failure);
  const { bad, left, withheld } = importer.report;
  return bad + left + withheld + changed.failures.length > 0 ? 1 : 0;
}

/** Ignores errors: the notes are stored anyway. */
function save(state: SyncState, io: Io): void {
  try {
    state.save();
  } catch (error) {
    io.stderr.write(`notes: The next sync reads the same files again: ${printable(reasonOf(error))}\n`);
  }
}

/** What the store last imported from sources, by keys of origins. */
async function takenIn(store: Pick<PortableStore, 'origins'>): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  for await (const some of originsIn(store)) for (const one of some) taken.set(one.key, one.taken);
  return taken;
}
