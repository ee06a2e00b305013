import type { DatabaseAddress } from '../../../config/settings-table.ts';
import { awaitOrAbort } from '../../../core/concurrency.ts';
import { NoteError } from '../../../core/error.ts';
import * as message from '../../../core/error-messages.ts';
import { formatInteger, formatNoteCount } from '../../../core/text/format-counts.ts';
import { openStore, type PostgresSettings } from '../../../service/open-store.ts';
import { InterruptedError } from '../../interrupted-error.ts';
import { interceptStopsAsAbortSignal } from '../../interruption.ts';
import type { Io, Output } from '../../io.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { type CopyOptions, copyAndVerifyNotes } from './copy-and-verify-notes.ts';
import { type Route, routeVariables } from './migrate-route.ts';

/** Moves all notes and prints the result. Errors say what to do next. */
export async function migrateAndPrintResult(
  route: Route,
  limits: PostgresSettings,
  { io, json }: { io: Io; json: boolean },
): Promise<void> {
  let next = 'Nothing was moved';
  const onStage = (sentence: string) => {
    next = sentence;
  };
  using line = new ProgressLine(io.stderr);
  const options = { line, screen: io.stderr, signal: interceptStopsAsAbortSignal(io), onStage };
  const moved = await openStoresAndCopyNotes(route, limits, options).catch((error) => {
    if (error instanceof InterruptedError)
      throw new InterruptedError(`Interrupted by ${error.signal}. ${next}`, { signal: error.signal });
    throw error instanceof NoteError ? error.withMessage(`${error.message}. ${next}`) : error;
  });
  const sentence = `Moved ${formatNoteCount(moved.notes)} from ${moved.from} to ${moved.to} (hash ${moved.hash})`;
  io.stdout.write(`${json ? JSON.stringify(moved) : sentence}\n`);
}

/** More than a store can be configured to keep. */
const maxHistoryVersions = 10_000;

async function openStoresAndCopyNotes(
  { from, to }: Route,
  limits: PostgresSettings,
  { screen, ...options }: CopyOptions & { screen: Output },
) {
  const print = (_: object, sentence: string) => void screen.write(`${sentence}\n`);
  const open = (name: keyof Route, database: DatabaseAddress) => {
    const mustExist = name === 'from';
    const config = { ...limits, database, databasePoolSize: 2, historyVersions: maxHistoryVersions, mustExist };
    const events = { onCommit: () => {}, onLost: () => {} }; // requests fail after that
    const opening = openStore(config, { info: print, warn: print }, events).catch((error) => {
      throw toErrorWithMigrationFlag(error, name);
    });
    return awaitOrAbort(opening, options.signal);
  };
  await using source = await open('from', from);
  await using target = await open('to', to);
  const started = performance.now();
  const { notes, hash } = await copyAndVerifyNotes(source, target, options);
  const seconds = (performance.now() - started) / 1000;
  options.line.clear();
  print({}, `${formatNoteCount(notes)} in ${seconds.toFixed(1)} s (${formatInteger(notes / seconds)} notes/s)`);
  return { from: source.location, to: target.location, notes, hash };
}

/** Names the flag and variable of this command in the advice of a store. */
function toErrorWithMigrationFlag(error: unknown, name: keyof Route): unknown {
  if (!(error instanceof NoteError)) return error;
  return error.withMessage(error.message.replaceAll(message.databaseSetting, `--${name} or ${routeVariables[name]}`));
}
