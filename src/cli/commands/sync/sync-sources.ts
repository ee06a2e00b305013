import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoteError } from '../../../core/error.ts';
import type { PortableStore } from '../../../core/store.ts';
import { count } from '../../../core/tools/text.ts';
import { Importer } from '../../../formats/importer.ts';
import { readAllOrigins } from '../../../formats/origin.ts';
import { type ExitCode, formatFileError } from '../../exit-code.ts';
import { interceptStopSignals } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { addLockHolder, identifyStore, openOrCreateNotes } from '../../notes/open-notes.ts';
import { toPrintableLine, toPrintableText } from '../../terminal/style.ts';
import { hashText } from '../import/dry-run-store.ts';
import type { SyncFlags } from '../import/import-command.ts';
import { ImportPrinter } from '../import/import-printer.ts';
import { addIgnoredSecrets, createSecretConfirmation, SecretGuard } from '../import/secret-guard.ts';
import { ChangedFiles, SyncState } from './changed-files.ts';

/** Imports changes in files and folders since the last time, once or until stopped. */
export async function syncSources(sources: readonly string[], flags: SyncFlags, io: Io): Promise<ExitCode> {
  const signal = interceptStopSignals(io);
  if (!flags.watch) return syncOnce(sources, flags, io, signal);
  for await (const _ of yieldSyncRounds(sources, flags.every * 1000, signal)) {
    try {
      await syncOnce(sources, flags, io, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof NoteError)) throw error;
      io.stderr.write(`notes: ${toPrintableText(error.message)}. Trying again\n`);
    }
  }
  throw signal.reason;
}

async function syncOnce(sources: readonly string[], flags: SyncFlags, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const state = new SyncState(io.env, identifyStore(io, flags));
  await using store = await openOrCreateNotes(io, flags);
  const stored = await readImportedStates(store);
  using printer = new ImportPrinter(io, flags);
  const confirm = flags.watch ? undefined : createSecretConfirmation(io, printer);
  const secrets = new SecretGuard(printer, confirm, await addIgnoredSecrets(io.env, flags.ignore));
  const changed = new ChangedFiles({ state, stored, secrets, stdin: io.stdin, category: flags.category, signal });
  const importer = new Importer(store, {
    ...printer.createImporterEvents(() => undefined),
    isOriginOfOtherSource: (key) => state.hasOrigin(key),
    digest: hashText,
  });
  try {
    const records = changed.readChangedRecords(sources);
    await importer.importRecords(flags.allowSecrets ? records : secrets.filterRecords(records));
    changed.recordImports(changed.changed > 0 ? await readImportedStates(store) : stored);
    await saveSyncState(state, io);
  } catch (error) {
    throw addLockHolder(error, store.location);
  } finally {
    const { files, changed: read } = changed;
    if (read > 0 || !flags.watch)
      printer.printReport(
        importer.report,
        `${count(read)} changed ${read === 1 ? 'file' : 'files'} of ${count(files)}`,
      );
  }
  for (const failure of changed.failures) printer.printLines(failure);
  const { bad, left, withheld } = importer.report;
  return bad + left + withheld + changed.failures.length > 0 ? 1 : 0;
}

/** Ignores errors: the notes are stored anyway. */
async function saveSyncState(state: SyncState, io: Io): Promise<void> {
  try {
    await state.save();
  } catch (error) {
    io.stderr.write(`notes: The next sync reads the same files again: ${toPrintableLine(formatFileError(error))}\n`);
  }
}

/** What the store last imported from sources, by keys of origins. */
async function readImportedStates(store: Pick<PortableStore, 'origins'>): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  for await (const some of readAllOrigins(store)) for (const one of some) taken.set(one.key, one.taken);
  return taken;
}

/** In ms. Waits after a change, as more writes tend to follow. */
const settleMs = 1_000;

/** Rescan after this many intervals without an event: network file systems report none. */
const maxIdleRounds = 10;

/** Yields at once, then after changes below paths, at most every `everyMs`. Ends when the signal aborts. */
export async function* yieldSyncRounds(
  paths: readonly string[],
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  let change = Promise.withResolvers<void>();
  const watchers = paths.flatMap((path) => watchPath(path, () => change.resolve()));
  try {
    while (!signal.aborted) {
      change = Promise.withResolvers();
      const next = performance.now() + everyMs;
      yield;
      await Promise.race([change.promise, sleepUnlessAborted(maxIdleRounds * everyMs, signal)]);
      await sleepUnlessAborted(Math.max(settleMs, next - performance.now()), signal);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** Returns none if the path cannot be watched; it is still rescanned from time to time. */
function watchPath(path: string, changed: () => void): readonly FSWatcher[] {
  try {
    return [watch(path, { recursive: true }, changed).on('error', () => {})];
  } catch {
    return [];
  }
}

/** Maximum delay of timers, in ms. */
const maxTimerMs = 2 ** 31 - 1;

const sleepUnlessAborted = (ms: number, signal: AbortSignal) =>
  sleep(Math.min(ms, maxTimerMs), undefined, { signal }).catch(() => {});
