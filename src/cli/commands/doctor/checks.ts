import { constants, statSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, type Environment, readSettings, settings } from '../../../config.ts';
import { versionText } from '../../../core/tools/build-info.ts';
import { isObject, parsed } from '../../../core/tools/json.ts';
import { isExposed, type PostgresAddress } from '../../../core/tools/postgres-address.ts';
import { counted, sizeText } from '../../../core/tools/text.ts';
import { codeOf, messageOf } from '../../../core/tools/thrown.ts';
import { reachable } from '../../../service/address.ts';
import { backupObstacle } from '../../../service/backups.ts';
import { sqliteVersion, versionFault } from '../../../service/open-store.ts';
import { inspectDatabase } from '../../../store/sqlite/background.ts';
import { dayMs, reserveBytes } from '../../../store/sqlite/backup/automatic.ts';
import { refuseUnsound } from '../../../store/sqlite/backup/backup.ts';
import { backupsIn, newestOf, restoreAdvice } from '../../../store/sqlite/backup/backup-names.ts';
import { adviceOn, specialKind } from '../../../store/sqlite/database.ts';
import { filesOf, realPathOf, sizeOf } from '../../../store/sqlite/database-files.ts';
import { isLocked } from '../../../store/sqlite/lock.ts';
import { anotherFile } from '../../../store/sqlite/migrate.ts';
import { migrations } from '../../../store/sqlite/schema.ts';
import { reasonOf, sentenceOf } from '../../exit-code.ts';
import { unlessAborted } from '../../interruption.ts';
import { serviceIn, storeUrl } from '../../notes/open.ts';
import type { DoctorFlags } from './command.ts';

/** What a check found, and how to correct it. */
interface Finding {
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  readonly remedy?: string;
}

const ok = (found: string): Finding => ({ state: 'ok', found });
const warning = (found: string, remedy: string): Finding => ({ state: 'warning', found, remedy });
const fault = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });

/** Stops when the signal aborts. */
type Check = readonly [name: string, check: (signal: AbortSignal) => Finding | Promise<Finding>];

/**
 * Checks everything a service needs, within about 5 s; `full` checks the whole database, however long that takes. Checks
 * only the service if flags or environment name one.
 */
export async function examine(env: Environment, flags: DoctorFlags) {
  const { db, full: isFull = false } = flags;
  const url = serviceIn(env, flags);
  if (url !== undefined) return [await settled(['service', (signal) => checkService(url, undefined, signal)], false)];
  const { config, mistakes } = readSettings(env, db === undefined ? {} : { database: storeUrl(db) });
  const { database, host, port } = config;
  const { variable } = settings.database;
  const isOffByChoice = env[settings.backupDir.variable] === 'off';
  const source = db === undefined ? ([variable, `${variable}_FILE`].find((name) => env[name]) ?? 'by default') : '--db';
  const checks: Check[] = [
    ['versions', checkVersions],
    ...mistakes.map((found): Check => ['settings', () => fault(found, 'docs/operations/settings.md lists them')]),
  ];
  if (database?.engine === 'postgres') checks.push(['database', () => checkPostgres(database, source)]);
  if (database?.engine === 'sqlite') checks.push(['database', () => ok(`${database.path} (${source})`)]);
  if (database?.engine === 'sqlite' && database.path !== ':memory:') {
    const path = realPathOf(database.path);
    checks.push(
      ['permissions', () => checkPermissions(path)], // first, as SQLite removes a log when it closes
      ['folder', () => checkFolder(dirname(path))],
      ['space', () => checkSpace(path)],
      ['integrity', (signal) => checkNotes(path, isFull, signal)],
      ['backup', (signal) => checkBackups(path, { ...config, isOffByChoice }, isFull, signal)],
    );
  }
  if (host !== undefined && port) {
    const isElsewhere = () => database?.engine === 'sqlite' && isHeld(realPathOf(database.path));
    checks.push(['service', async (signal) => checkService(await reachable(host, port), isElsewhere, signal)]);
  }
  return await Promise.all(checks.map((check) => settled(check, isFull)));
}

/** The time of a check in ms: doctor must not hang with a disk or a server. */
const maxMs = 3_500;

async function settled([name, check]: Check, isFull: boolean): Promise<Finding & { name: string }> {
  const mayTakeLong = ['integrity', 'backup'].includes(name);
  const signal = isFull && mayTakeLong ? new AbortController().signal : AbortSignal.timeout(maxMs);
  try {
    return { name, ...(await unlessAborted((async () => check(signal))(), signal)) };
  } catch (error) {
    const late = `no answer within ${maxMs / 1_000} s`;
    if (!signal.aborted) return { name, ...fault(sentenceOf(error), 'Fix the cause, then run this again') };
    if (mayTakeLong) return { name, ...warning(late, 'Run it with --full, which waits') };
    return { name, ...fault(late, 'Check whether the disk, the server or the network hangs') };
  }
}

function checkVersions(): Finding {
  const sqlite = sqliteVersion();
  const found = `Notes ${versionText}, Bun ${Bun.version}, SQLite ${sqlite}, ${process.platform} on ${process.arch}`;
  const danger = versionFault(sqlite);
  return danger === undefined ? ok(found) : warning(found, danger);
}

/** Requests `/readyz`. The service may be stopped, or elsewhere, if `isElsewhere` is given. */
async function checkService(
  url: string,
  isElsewhere: (() => boolean) | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/readyz`, { signal, redirect: 'manual' });
    const answer = parsed(await response.text());
    if (isObject(answer) && answer['status'] === 'ready') return ok(`ready at ${url}`);
    if (!isObject(answer) || typeof answer['error'] !== 'string')
      return fault(`another program answers at ${url}`, 'Choose another port with PORT');
    return fault(`not ready at ${url}: ${answer['error']}`, 'Read its log');
  } catch (error) {
    if (codeOf(error) !== 'ECONNREFUSED') return fault(`no answer from ${url}: ${messageOf(error)}`, 'Read its log');
    if (isElsewhere?.()) return ok(`a service has this database open, but not at ${url}`);
    if (isElsewhere) return ok(`no service runs at ${url}`);
    return fault(`nothing listens at ${url}`, 'Start it with "notes serve"');
  }
}

/** Whether a service has a database open, as far as this user may know. */
function isHeld(path: string): boolean {
  try {
    return isLocked(path);
  } catch {
    return false;
  }
}

function checkPermissions(path: string): Finding {
  const self = process.getuid?.();
  const database = statSync(path, { throwIfNoEntry: false });
  if (!database) return ok('of a file that is created at the first start');
  const { uid, nlink } = database;
  if (nlink > 1) return fault(`${path} has a second name (a hard link)`, 'Remove one of the names');
  if (self && uid !== self) return fault(`${path} is owned by user ${uid}, not by you`, 'Run it as that user');
  for (const file of filesOf(path)) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const rights = (found.mode & 0o777).toString(8).padStart(3, '0');
    if (found.uid !== uid) return fault(`${file} belongs to another user`, `chown --reference=${path} ${file}`);
    if (self && !(found.mode & 0o200)) return fault(`${file} cannot be written to (${rights})`, `chmod 600 ${file}`);
    if (found.mode & 0o077) return warning(`others may use ${file} (${rights})`, `chmod 600 ${file}`);
  }
  return ok(`the owner alone can read and write ${path}`);
}

/** Checks a folder; for a missing one, the nearest folder above it, in which it will be created. */
async function checkFolder(wanted: string, folder = wanted): Promise<Finding> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return ok(folder === wanted ? `${folder} can be written to` : `${wanted} is created at the first start`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return checkFolder(wanted, dirname(folder));
    const isOwn = (await stat(folder).catch(() => undefined))?.uid === process.getuid?.();
    const remedy = isOwn ? `chmod u+rwx ${folder}` : 'Let the user that runs the service write to it';
    return fault(`${folder} cannot be written to: ${reasonOf(error)}`, remedy);
  }
}

async function checkSpace(path: string): Promise<Finding> {
  const facts = await statfs(dirname(path)).catch(() => undefined);
  if (facts === undefined) return ok('not known: the folder is missing');
  const free = facts.bavail * facts.bsize;
  const found = `${sizeText(free)} are free`;
  const reserve = sizeText(reserveBytes);
  if (free < reserveBytes) return fault(found, `Free some space: below ${reserve} notes may be refused`);
  return free < sizeOf(path) ? warning(`${found}, less than a backup takes`, 'Free some space') : ok(found);
}

async function checkNotes(path: string, isFull: boolean, signal: AbortSignal): Promise<Finding> {
  try {
    const special = specialKind(path);
    if (special !== undefined) return fault(`Cannot use ${path}: ${special}`, anotherFile);
    const bytes = sizeOf(path);
    if (bytes === 0 && sizeOf(`${path}-wal`) > 0 && !isLocked(path))
      return fault(`${path} is empty or gone, although notes were kept in it`, restoreAdvice(path));
    if (bytes === 0) return ok('no notes yet: the first start creates the file');
    const { integrity, isForeign, schema, notes } = await inspectDatabase(path, isFull, signal);
    if (integrity !== 'ok') return fault(`damaged: ${integrity.replaceAll('\n', ' ')}`, restoreAdvice(path));
    if (isForeign) return fault(`${path} is a database of another program`, anotherFile);
    if (schema > migrations.length) return fault(`schema ${schema} is of a newer version of Notes`, 'Update Notes');
    return ok(`${counted(notes)} in ${sizeText(bytes)}, sound${isFull ? '' : ' (--full compares the indexes too)'}`);
  } catch (error) {
    if (signal.aborted) throw error;
    const advice = adviceOn(error, path) ?? adviceOn(error instanceof Error && error.cause, path);
    const [reason, remedy = 'Fix the cause, then run this again'] = advice ?? [];
    return fault(reason ? `Cannot use ${path}: ${reason}` : messageOf(error), remedy);
  }
}

async function checkBackups(
  database: string,
  { backupDir: folder = 'off', backupKeep, isOffByChoice }: Partial<Config> & { readonly isOffByChoice: boolean },
  isFull: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const found = [...backupsIn(dirname(database), database), ...(folder === 'off' ? [] : backupsIn(folder, database))];
  const newest = newestOf(found, Date.now());
  if (newest === undefined && folder !== 'off' && backupKeep && sizeOf(database) > backupKeep.maxBytes) {
    const remedy = 'Raise the size in BACKUP_KEEP; "notes backup" makes one now';
    return warning(`none in ${folder}: the database exceeds the space for backups`, remedy);
  }
  const obstacle = backupObstacle({ database: { engine: 'sqlite', path: database }, backupDir: folder });
  if (newest === undefined && obstacle !== undefined && !isOffByChoice && sizeOf(database) > 0)
    return warning('none', `${obstacle}; "notes backup" makes one`);
  if (newest === undefined) return ok(`none${folder === 'off' ? '' : ` in ${folder}`} yet; "notes backup" makes one`);
  try {
    const { notes } = refuseUnsound(newest.path, await inspectDatabase(newest.path, isFull, signal));
    const days = Math.floor((Date.now() - newest.at) / dayMs);
    const text = `${counted(notes)} in ${newest.path}, ${days} days old`;
    if (folder === 'off' || days < 3) return ok(text);
    return warning(text, 'Look for backup errors in the log of the service; "notes backup" makes one now');
  } catch (error) {
    if (signal.aborted) throw error;
    return fault(`the newest cannot be opened: ${messageOf(error)}`, 'Remove it: a running service makes a new one');
  }
}

async function checkPostgres(address: PostgresAddress, source: string): Promise<Finding> {
  const { inspectPostgres, locationOf } = await import('../../../store/postgres/open.ts');
  const where = locationOf(address);
  try {
    const { server, schema, known } = await inspectPostgres({ address, timeoutMs: 3_000, poolSize: 1 });
    const isOld = schema < known;
    const use = isOld ? `the next start brings its schema from ${schema} to ${known}` : 'notes can be written';
    const found = `${where} (${source}): ${server}, ${use}`;
    if (!isExposed(address)) return ok(found);
    return warning(`${found}; others on the network may read or forge notes`, 'Use sslmode=verify-full');
  } catch (error) {
    return fault(messageOf(error), `Check whether ${where} runs, its log, and the rights of the role`);
  }
}
