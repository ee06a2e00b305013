import { Database } from 'bun:sqlite';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { syncFile, syncFolder } from '../../sync.ts';
import { inspectDatabase } from '../background.ts';
import { adviceOn, openDatabase, refusal, refuseSpecial } from '../database.ts';
import { isSameFile, keepOwner, realPathOf, sizeOf } from '../database-files.ts';
import { lock } from '../lock.ts';
import { continueAfter } from '../sqlite-reads.ts';
import { backUp, refuseUnsound, temporaryFolderBeside } from './backup.ts';
import { compactTime } from './backup-names.ts';
import type { Inspection } from './inspection.ts';

/** The database that a restore replaces. */
export type Target =
  | { readonly kind: 'none' }
  | { readonly kind: 'notes'; readonly found: Inspection }
  /** Refused by the store. `lastId` is what could be read of it. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly lastId: number };

/** A step of a restore. If killed before or after any step, the store opens with either the old or the new notes. */
interface Step {
  /** Whether nothing has changed before this step. */
  readonly isFirst?: boolean;
  readonly run: () => void | Promise<void>;
}

/** A prepared restore. It locks the database until disposal. */
export interface Restore extends AsyncDisposable {
  readonly target: Target;
  readonly backup: Inspection;
  /** Path of the saved copy; undefined if there is nothing to save. */
  readonly saved: string | undefined;
  /** Run in this order. */
  readonly steps: readonly Step[];
  /** Removes the saved copy. Call only if nothing was changed. */
  readonly discardSaved: () => void;
}

/** Runs all steps. If one fails before anything has changed, removes the saved copy, since a disk may be full. */
export async function takeSteps(
  { steps, discardSaved }: Pick<Restore, 'steps' | 'discardSaved'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { run, isFirst } of steps) {
    try {
      if (isFirst) signal.throwIfAborted();
      await run();
    } catch (error) {
      if (isFirst) discardSaved();
      throw error;
    }
  }
}

/**
 * Locks the database to be replaced, and inspects the backup unless `inspected` is given. Creates a missing folder, and
 * checkpoints the log of the database. Throws `busy` while another program uses it, else `unavailable` with advice.
 */
export async function prepareRestore(given: string, backup: string, inspected?: Inspection): Promise<Restore> {
  const found = inspected ?? (await inspectBackup(backup));
  if (isSameFile(given, backup)) throw new NoteError('unavailable', `${backup} is the database itself`);
  await using opened = new AsyncDisposableStack();
  const { path, target } = await takeHold(given, opened);
  const folder = opened.use(await temporaryFolderBeside(path));
  const saved = target.kind === 'none' ? undefined : freeNameFor(path);
  const copy = join(folder.path, basename(path));
  const resources = opened.move();
  const made: string[] = [];
  return {
    target,
    backup: found,
    saved,
    steps: stepsOf({ path, backup, copy, saved, made, target }),
    discardSaved: () => remove(made),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Files beside a database that may hold notes of it. */
const holding = ['-wal', '-journal'];
const logs = [...holding, '-shm'];

/** Returns a name that no earlier copy has. */
function freeNameFor(path: string): string {
  const name = `${path}.before-restore-${compactTime(Date.now())}`;
  for (let copies = 1; ; copies++) {
    const saved = copies === 1 ? name : `${name}-${copies}`;
    if (!['', ...logs].some((suffix) => existsSync(saved + suffix))) return saved;
  }
}

/** Inspects a backup. Throws `unavailable` with advice. */
export async function inspectBackup(backup: string): Promise<Inspection> {
  const isMissing = statSync(backup, { throwIfNoEntry: false }) === undefined; // throws for an impossible path
  if (isMissing) throw new NoteError('unavailable', `Cannot use ${backup}: there is no such file`);
  const madeByBackup = 'Name a file that "notes backup" made';
  refuseSpecial(backup, madeByBackup);
  const log = holding.map((suffix) => backup + suffix).find((file) => sizeOf(file) > 0);
  const notes = `it is a database in use, and its newest notes are in ${log}`;
  const remedy = 'Make a backup of it with "notes backup --db"';
  if (log !== undefined) throw new NoteError('unavailable', `Cannot use ${backup}: ${notes}. ${remedy}`);
  const found = await inspectDatabase(backup, true).catch((error) => {
    const [reason] = adviceOn(error instanceof Error ? error.cause : undefined, backup) ?? [];
    if (reason === undefined) throw error;
    const message = `Cannot use ${backup}: ${reason}. ${madeByBackup}`;
    throw new NoteError('unavailable', message, { cause: error });
  });
  return refuseUnsound(backup, found);
}

/** Takes the lock last, as opening the store takes it meanwhile. */
async function takeHold(given: string, opened: AsyncDisposableStack): Promise<Pick<Plan, 'path' | 'target'>> {
  refuseSpecial(given);
  mkdirSync(dirname(resolve(given)), { recursive: true, mode: 0o700 });
  if (!['', ...logs].some((suffix) => existsSync(given + suffix))) {
    opened.use(lock(given));
    return { path: realPathOf(given), target: { kind: 'none' } };
  }
  const refused = checkpointed(given);
  const path = realpathSync(given);
  opened.use(lock(path));
  if (refused) return { path, target: await unusable(path, refused) };
  return { path, target: await usable(path, opened) };
}

/** Opens the store once to checkpoint and remove its log. Returns the error if the store refuses the file. */
function checkpointed(path: string): NoteError | undefined {
  try {
    openDatabase({ path, user: 'service' }).resources[Symbol.dispose]();
    return undefined;
  } catch (error) {
    const refused = refusal(error, path);
    if (refused.code === 'busy') throw refused;
    return refused;
  }
}

/** Keeps other programs from writing until it is closed. By then, the file has been replaced. */
async function usable(path: string, opened: AsyncDisposableStack): Promise<Target> {
  const db = opened.adopt(new Database(path, { create: false, readwrite: true }), (made) => made.close(true));
  try {
    db.run('PRAGMA journal_mode = DELETE'); // fails while others have it open
    db.run('BEGIN IMMEDIATE');
  } catch (error) {
    throw new NoteError('busy', `Another program has ${path} open. Close it there, and try again`, { cause: error });
  }
  const found = await inspectDatabase(path, false);
  return found.lastId === 0 ? { kind: 'none' } : { kind: 'notes', found };
}

/** Throws if the file is not damaged but foreign, or there is another obstacle: it is not ours to replace. */
async function unusable(path: string, refused: NoteError): Promise<Target> {
  const { cause } = refused;
  const isObstacle =
    cause instanceof Error && 'code' in cause && !/^(SQLITE_(CORRUPT|NOTADB)|unavail)/.test(`${cause.code}`);
  const found = await inspectDatabase(path, false).catch(() => undefined); // known to be damaged
  const isForeign = found?.integrity === 'ok' && found.isForeign;
  if (isObstacle || isForeign || statSync(path).nlink > 1) throw refused;
  return { kind: 'unusable', reason: refused.message, lastId: found?.lastId ?? 0 };
}

interface Plan {
  readonly path: string;
  readonly backup: string;
  readonly copy: string;
  readonly saved: string | undefined;
  /** Collects the saved files. */
  readonly made: string[];
  readonly target: Target;
}

/**
 * A log would be applied to a database that it does not belong to, so all logs are removed before the new file is put
 * in place. An unusable file must not become usable when its logs are removed.
 */
function stepsOf({ path, backup, copy, saved, made, target }: Plan): readonly Step[] {
  const lastId = target.kind === 'none' ? 0 : target.kind === 'notes' ? target.found.lastId : target.lastId;
  const place = [
    { isFirst: true, run: () => copyBackup(backup, copy, { path, lastId }) },
    ...(target.kind === 'unusable' ? [makeUnreadable(path)] : []),
    { run: () => removeLogs(path) },
    { run: () => renameSync(copy, path) },
    { run: () => syncFolder(dirname(path)) },
  ];
  if (saved === undefined) return place;
  const save = target.kind === 'notes' ? saveNotes : saveFiles;
  return [{ isFirst: true, run: () => save(path, saved, made) }, ...place];
}

async function saveNotes(path: string, saved: string, made: string[]): Promise<void> {
  await backUp(path, saved);
  made.push(saved);
  keepOwner(path, saved);
}

/** Saves the file with its logs, since together they are what the store refused. */
function saveFiles(path: string, saved: string, made: string[]): void {
  for (const suffix of ['', ...logs]) {
    if (!existsSync(path + suffix)) continue;
    closeSync(openSync(saved + suffix, 'wx', 0o600)); // fails if a copy exists
    made.push(saved + suffix);
    copyFileSync(path + suffix, saved + suffix);
    keepOwner(path, saved + suffix);
    syncFile(saved + suffix);
  }
  syncFolder(dirname(saved));
}

/** New ids follow the highest one assigned in the backup or since, so that no id ever names two notes. */
async function copyBackup(backup: string, copy: string, { path, lastId }: { path: string; lastId: number }) {
  try {
    copyFileSync(backup, copy);
    chmodSync(copy, 0o600);
    raiseLastId(copy, lastId);
  } catch (error) {
    throw refusal(error, path);
  }
  refuseUnsound(backup, await inspectDatabase(copy, false));
  keepOwner(path, copy);
  syncFile(copy);
}

function raiseLastId(copy: string, lastId: number): void {
  using db = new Database(copy, { create: false, readwrite: true });
  db.run('PRAGMA journal_mode = DELETE');
  db.transaction(() => continueAfter(db, lastId)).immediate();
}

/** Syncs the removal: a log that reappeared after a power cut would be applied to the new file. */
function removeLogs(path: string): void {
  remove(logs.map((suffix) => path + suffix));
  syncFolder(dirname(path));
}

function remove(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

/** Overwrites the header by which SQLite recognises a database. */
const makeUnreadable = (path: string): Step => ({
  run() {
    writeFileSync(path, 'A restore of these notes was interrupted. Run notes restore again.\n', { flag: 'r+' });
    syncFile(path);
  },
});
