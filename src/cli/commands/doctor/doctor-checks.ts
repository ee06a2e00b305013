import { dirname } from 'node:path';
import { type Config, ConfigError, readSettingsAndCollectMistakes } from '../../../config/config.ts';
import { type DatabaseAddress, type Environment, settings } from '../../../config/settings-table.ts';
import { versionText } from '../../../core/build-info.ts';
import { isObject, tryParseJson } from '../../../core/json/json.ts';
import { lacksVerifiedTlsOverNetwork, type PostgresAddress } from '../../../core/postgres-address.ts';
import { databaseHeader } from '../../../core/protocol.ts';
import { formatByteSize, formatNoteCount } from '../../../core/text/format-counts.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../../../core/thrown-errors.ts';
import { findBackupObstacle } from '../../../service/backup-schedule.ts';
import { hashDatabaseLocationIfExists } from '../../../service/database-location-hash.ts';
import { formatWantedSpaceAdvice, readFreeAndWantedSpace } from '../../../service/disk-space.ts';
import { findSqliteVersionProblem, readSqliteVersion } from '../../../service/open-store.ts';
import { resolveLocalServiceUrl } from '../../../service/service-url.ts';
import { reserveBytes } from '../../../store/sqlite/backup/automatic-backups.ts';
import { findBackupsUnsorted, findNewestBackupUntil } from '../../../store/sqlite/backup/backup-names.ts';
import { dayMs } from '../../../store/sqlite/backup/backup-retention.ts';
import { assertUsableInspection } from '../../../store/sqlite/backup/create-backup.ts';
import {
  checkFolderOrParentWritable,
  checkNotes,
  checkPermissions,
  createFaultFinding,
  createOkFinding,
  createWarningFinding,
  type Finding,
} from '../../../store/sqlite/database-diagnosis.ts';
import { readFileSizeOrZero, resolveRealPath } from '../../../store/sqlite/database-files.ts';
import { isServiceLockHeld } from '../../../store/sqlite/service-lock.ts';
import { inspectOnNewThread } from '../../../store/sqlite/sqlite-worker-client.ts';
import { formatError } from '../../error-text.ts';
import type { NoteFlags } from '../../flag-types.ts';
import { findServiceUrl, toDatabaseUrl } from '../../notes/store-location.ts';

/** `slow`: it reads a whole database, with `--full` however long that takes. */
type Check = readonly [name: string, check: () => Finding | Promise<Finding>, slow?: 'slow'];

/**
 * Checks all that a service needs, or only the service that flags or environment name. A check that takes longer than
 * `maxMs` is late: doctor must not hang with a disk or a server. The end of the process stops what is late.
 */
export async function runDoctorChecks(env: Environment, flags: DoctorFlags, maxMs = 3_500) {
  const url = flags.ready ? await readSettingsAndResolveServiceUrl(env) : findServiceUrl(env, flags);
  const checks: readonly Check[] =
    url === undefined
      ? readSettingsAndCreateChecks(env, flags)
      : [['service', () => checkService(url, getUrlSourceName(flags))]];
  return await Promise.all(checks.map((check) => runCheckWithTimeout(check, flags.full === true, maxMs)));
}

/** Reads the settings, and creates the checks of them, of the database and of its service, in the order of printing. */
function readSettingsAndCreateChecks(env: Environment, flags: DoctorFlags): readonly Check[] {
  const { db } = flags;
  const { config, mistakes, warnings } = readSettingsAndCollectMistakes(
    env,
    db === undefined ? {} : { database: toDatabaseUrl(db) },
  );
  const { database, host, port } = config;
  const source = getDatabaseSourceName(env, db);
  const checks: Check[] = [
    ['versions', checkVersions],
    ...mistakes.map(
      (found): Check => ['settings', () => createFaultFinding(found, 'docs/operations/settings.md lists them')],
    ),
    ...warnings.map((found): Check => ['settings', () => createWarningFinding(found)]),
  ];
  if (database?.engine === 'postgres') checks.push(['database', () => checkPostgres(database, source)]);
  if (database?.engine === 'sqlite') {
    checks.push(['database', () => createOkFinding(`${database.path} (${source})`)]);
    if (database.path !== ':memory:')
      checks.push(...createFileChecks(resolveRealPath(database.path), config, env, flags));
  }
  if (host !== undefined && port)
    checks.push(['service', () => checkLocalServiceOfDatabase(database, host, port, db !== undefined)]);
  return checks;
}

function createFileChecks(
  path: string,
  config: Partial<Config>,
  env: Environment,
  { full: isFull = false }: DoctorFlags,
): readonly Check[] {
  return [
    ['permissions', () => checkPermissions(path)], // first, as SQLite removes a log when it closes
    ['folder', () => checkFolderOrParentWritable(dirname(path))],
    ['space', () => checkDiskSpace(path)],
    ['integrity', () => checkNotes(path, isFull), 'slow'],
    ['backup', () => checkBackups(path, config, env[settings.backupDir.variable] === 'off', isFull), 'slow'],
  ];
}

/** Says what named the database: the flag, the variable, or nothing. */
function getDatabaseSourceName(env: Environment, db: string | undefined): string {
  const { variable } = settings.database;
  if (db !== undefined) return '--db';
  return [variable, `${variable}_FILE`].find((name) => env[name]) ?? 'by default';
}

/** Says what named the address of the service that is checked alone. */
function getUrlSourceName({ ready, url }: DoctorFlags): string {
  if (ready) return 'HOST and PORT';
  return url === undefined ? 'NOTES_URL' : '--url';
}

/** Returns the URL of the service of this machine, by the settings that it is started with. Throws `ConfigError`. */
async function readSettingsAndResolveServiceUrl(env: Environment): Promise<string> {
  const { host, port } = readSettingsAndCollectMistakes(env, {}).config;
  if (host === undefined || !port) throw new ConfigError('--ready needs a HOST, and a PORT that is not 0');
  return resolveLocalServiceUrl(host, port);
}

/** Runs a check; one that throws has found a fault, one that is late a fault or a warning. */
async function runCheckWithTimeout([name, check, slow]: Check, isFull: boolean, maxMs: number) {
  const found = `no answer within ${maxMs / 1_000} s`;
  const late = slow
    ? createWarningFinding(found, 'Run it with --full, which waits')
    : createFaultFinding(found, 'Check whether the disk, the server or the network hangs');
  const checking = Promise.try(check).catch((error) =>
    createFaultFinding(formatError(error), 'Fix the cause, then run this again'),
  );
  return { name, ...(await (slow && isFull ? checking : Promise.race([checking, Bun.sleep(maxMs).then(() => late)]))) };
}

function checkVersions(): Finding {
  const sqlite = readSqliteVersion();
  const found = `Notes ${versionText}, Bun ${Bun.version}, SQLite ${sqlite}, ${process.platform} on ${process.arch}`;
  const danger = findSqliteVersionProblem(sqlite);
  return danger === undefined ? createOkFinding(found) : createWarningFinding(found, danger);
}

/** What a service says of itself at `/readyz`. */
interface Readiness {
  readonly finding: Finding;
  /** Identifies its database; undefined if it says none. */
  readonly databaseId?: string | undefined;
}

/**
 * Asks the service at a URL whether it is ready. Returns undefined if nothing listens at that URL. `advice` is what the
 * user should do if another program listens.
 */
async function fetchReadinessIfListening(url: string, advice: string): Promise<Readiness | undefined> {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/readyz`, { redirect: 'manual' });
    const databaseId = response.headers.get(databaseHeader) ?? undefined;
    const answer = tryParseJson(await response.text());
    const { status, error } = isObject(answer) ? answer : {};
    if (response.status === 404)
      return { finding: createFaultFinding(`no notes service is at ${url}: it answered 404`, advice) };
    if (status === 'ready') return { databaseId, finding: createOkFinding(`ready at ${url}`) };
    if (typeof error === 'string')
      return { databaseId, finding: createFaultFinding(`not ready at ${url}: ${error}`, 'Read its log') };
    return { finding: createFaultFinding(`another program answers at ${url}`, advice) };
  } catch (error) {
    if (getErrorCodeOrEmpty(error) === 'ECONNREFUSED') return undefined;
    return { finding: createFaultFinding(`no answer from ${url}: ${getErrorMessage(error)}`, 'Read its log') };
  }
}

async function checkService(url: string, source: string): Promise<Finding> {
  const readiness = await fetchReadinessIfListening(url, `Check the address in ${source}`);
  return readiness?.finding ?? createFaultFinding(`nothing listens at ${url}`, 'Start it with "notes serve"');
}

/**
 * Checks the service of a database, by the settings of host and port. It may be stopped, or listen elsewhere, and a
 * service with another database may listen there. `isNamed`: the database was named for this check alone.
 */
async function checkLocalServiceOfDatabase(
  database: DatabaseAddress | undefined,
  host: string,
  port: number,
  isNamed: boolean,
): Promise<Finding> {
  const url = await resolveLocalServiceUrl(host, port);
  const readiness = await fetchReadinessIfListening(url, 'Choose another port with PORT');
  if (readiness === undefined)
    return createOkFinding(
      (await isDatabaseHeldByService(database))
        ? `a service has this database open, but not at ${url}`
        : `no service runs at ${url}`,
    );
  const { finding, databaseId } = readiness;
  if (database === undefined || databaseId === undefined || databaseId === hashDatabaseLocationIfExists(database))
    return finding;
  const isOpen = (await isDatabaseHeldByService(database)) ? '. Another service has this database open' : '';
  const found = `the service at ${url} keeps another database, and was not checked${isOpen}`;
  return isNamed
    ? createOkFinding(found)
    : createWarningFinding(found, 'Start it with this DATABASE_URL, or name its database with --db');
}

/** Whether a service has a file open; false for files of other users, which cannot be asked. */
async function isDatabaseHeldByService(database: DatabaseAddress | undefined): Promise<boolean> {
  if (database?.engine !== 'sqlite' || database.path === ':memory:') return false;
  return await Promise.try(isServiceLockHeld, resolveRealPath(database.path)).catch(() => false);
}

async function checkDiskSpace(path: string): Promise<Finding> {
  const space = await readFreeAndWantedSpace(path).catch(() => undefined);
  if (space === undefined) return createOkFinding('not known: the folder is missing');
  const found = `${formatByteSize(space.freeBytes)} are free`;
  if (space.freeBytes < reserveBytes)
    return createFaultFinding(found, `Free some space: below ${formatByteSize(reserveBytes)} notes may be refused`);
  return space.freeBytes < space.wantedBytes
    ? createWarningFinding(found, formatWantedSpaceAdvice(space))
    : createOkFinding(found);
}

async function checkBackups(path: string, config: Partial<Config>, isOff: boolean, isFull: boolean): Promise<Finding> {
  const { backupDir: folder = 'off', backupKeep } = config;
  const places = folder === 'off' ? [dirname(path)] : [dirname(path), folder];
  const newest = findNewestBackupUntil(
    places.flatMap((place) => findBackupsUnsorted(place, path)),
    Date.now(),
  );
  if (newest === undefined) {
    const where = folder === 'off' ? 'none' : `none in ${folder}`;
    const makesOne = '"notes backup" makes one';
    const obstacle = findBackupObstacle({ database: { engine: 'sqlite', path }, backupDir: folder });
    if (folder !== 'off' && backupKeep && readFileSizeOrZero(path) > backupKeep.maxBytes)
      return createWarningFinding(
        `${where}: the database exceeds the space for backups`,
        `Raise the size in BACKUP_KEEP; ${makesOne} now`,
      );
    if (obstacle !== undefined && !isOff && readFileSizeOrZero(path) > 0)
      return createWarningFinding('none', `${obstacle}; ${makesOne}`);
    return createOkFinding(`${where} yet; ${makesOne}`);
  }
  try {
    const inspection = await inspectOnNewThread(newest.path, isFull);
    assertUsableInspection(newest.path, inspection);
    const days = Math.floor((Date.now() - newest.at) / dayMs);
    const text = `${formatNoteCount(inspection.notes)} in ${newest.path}, ${days} days old`;
    if (folder === 'off' || days < 3) return createOkFinding(text);
    return createWarningFinding(text, 'Look for backup errors in the log of the service; "notes backup" makes one now');
  } catch (error) {
    return createFaultFinding(
      `the newest cannot be opened: ${getErrorMessage(error)}`,
      'Remove it: a running service makes a new one',
    );
  }
}

async function checkPostgres(address: PostgresAddress, source: string): Promise<Finding> {
  const { checkAndDescribePostgres, formatLocation } = await import(
    '../../../store/postgres/open-postgres-database.ts'
  );
  const where = formatLocation(address);
  try {
    const found = `${where} (${source}): ${await checkAndDescribePostgres({ address, timeoutMs: 3_000, poolSize: 1 })}`;
    if (!lacksVerifiedTlsOverNetwork(address)) return createOkFinding(found);
    return createWarningFinding(`${found}; others on the network may read or forge notes`, 'Use sslmode=verify-full');
  } catch (error) {
    return createFaultFinding(
      getErrorMessage(error),
      `Check whether ${where} runs, its log, and the rights of the role`,
    );
  }
}

export interface DoctorFlags extends NoteFlags {
  readonly full?: boolean;
  /** Whether to check nothing but the readiness of the service at `HOST` and `PORT`. */
  readonly ready?: boolean;
}
