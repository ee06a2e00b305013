import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { type Environment, readSettings, settings } from '../../../config.ts';
import { versionText } from '../../../core/tools/build-info.ts';
import { parsed } from '../../../core/tools/json.ts';
import { codeOf, messageOf } from '../../../core/tools/thrown.ts';
import { reachable } from '../../../service/address.ts';
import { sqliteVersion, versionFault } from '../../../service/open-store.ts';
import { unlessAborted } from '../../interruption.ts';
import { storeUrl } from '../../notes/store-options.ts';
import { type Check, type Finding, fault, ok, warning } from './finding.ts';

interface DoctorOptions {
  readonly env: Environment;
  /** The store named by the flag. */
  readonly db: string | undefined;
  /** Whether to check the whole database, however long that takes. */
  readonly isFull: boolean;
}

/** Checks everything a service needs, within about 5 s unless `isFull`. */
export async function examine({ env, db, isFull }: DoctorOptions) {
  const { config, mistakes } = readSettings(env, db === undefined ? {} : { database: storeUrl(db) });
  const { database, host, port, backupDir = 'off', backupKeep } = config;
  const { variable } = settings.database;
  const source = db === undefined ? ([variable, `${variable}_FILE`].find((name) => env[name]) ?? 'by default') : '--db';
  const checks: Check[] = [
    { name: 'versions', run: examineVersions },
    ...mistakes.map((found) => ({ name: 'settings', run: () => fault(found, 'README lists the settings') })),
  ];
  if (database?.engine === 'sqlite') {
    const { fileChecks } = await import('./file.ts');
    checks.push({ name: 'database', run: () => ok(`${database.path} (${source})`) });
    if (database.path !== ':memory:') checks.push(...fileChecks(database.path, backupDir, backupKeep?.maxBytes));
  } else if (database !== undefined) {
    const { examinePostgres } = await import('./postgres.ts');
    checks.push({ name: 'database', run: () => examinePostgres(database, source) });
  }
  if (host !== undefined && port) {
    checks.push({ name: 'service', run: async (signal) => serviceAt(await reachable(host, port), true, signal) });
  }
  return await Promise.all(checks.map((check) => settled(check, isFull)));
}

/** Checks whether the service at an address is ready, within 4 s. */
export const examineService = async (url: string) => [
  await settled({ name: 'service', run: (signal) => serviceAt(url, false, signal) }, false),
];

/** The time of a check in ms: doctor must not hang with a disk or a server. */
const maxMs = 3_500;

async function settled(
  { name, run, mayTakeLong = false }: Check,
  isFull: boolean,
): Promise<Finding & { name: string }> {
  const signal = isFull && mayTakeLong ? undefined : AbortSignal.timeout(maxMs);
  try {
    const found = (async () => run(signal))();
    return { name, ...(await (signal === undefined ? found : unlessAborted(found, signal))) };
  } catch (error) {
    const late = `no answer within ${maxMs / 1_000} s`;
    if (!signal?.aborted) return { name, ...fault(messageOf(error), 'Fix the cause, then run this again') };
    if (mayTakeLong) return { name, ...warning(late, 'Run it with --full, which waits') };
    return { name, ...fault(late, 'Check whether the disk, the server or the network hangs') };
  }
}

function examineVersions(): Finding {
  const sqlite = sqliteVersion();
  const found = `Notes ${versionText}, Bun ${Bun.version}, SQLite ${sqlite}, ${process.platform} on ${process.arch}`;
  const danger = versionFault(sqlite);
  return danger === undefined ? ok(found) : warning(found, danger);
}

const readyz = z.union([z.object({ status: z.literal('ready') }), z.object({ error: z.string() })]);

/** Requests `/readyz`, without the proxy of the environment. */
async function serviceAt(url: string, mayBeStopped: boolean, signal: AbortSignal | undefined): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const get = url.startsWith('https:') ? getHttps : getHttp;
  get(`${url.replace(/\/$/, '')}/readyz`, { signal, agent: false }, resolve).on('error', reject);
  try {
    const { data } = readyz.safeParse(parsed(await text(await promise)));
    if (data === undefined) return fault(`another program answers at ${url}`, 'Choose another port with PORT');
    return 'error' in data ? fault(`not ready at ${url}: ${data.error}`, 'Read its log') : ok(`ready at ${url}`);
  } catch (error) {
    if (codeOf(error) !== 'ECONNREFUSED') return fault(`no answer from ${url}: ${messageOf(error)}`, 'Read its log');
    if (mayBeStopped) return ok(`no service runs at ${url}`);
    return fault(`nothing listens at ${url}`, 'Start it with "notes serve"');
  }
}
