import type { Server } from 'bun';
import type { Config } from '../config/config.ts';
import type { DatabaseAddress } from '../config/settings-table.ts';
import { NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import { isIpAddress } from '../core/setting-values.ts';
import type { NoteEngine } from '../core/store.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../core/thrown-errors.ts';
import type { AuditLog } from './audit-log.ts';
import {
  type BackupCheckEvents,
  backupCheckSchedule,
  findBackupObstacle,
  startBackupScheduleIfConfigured,
} from './backup-schedule.ts';
import { hashDatabaseLocationIfExists } from './database-location-hash.ts';
import { DiskSpaceReporter, startDiskSpaceChecks } from './disk-space.ts';
import { formatExposureWarningIfAny } from './exposure-warning.ts';
import type { Access, AccessDeps } from './http/access/access.ts';
import { createClientAddressFinder } from './http/access/client-address.ts';
import { listServiceHostNames } from './http/access/origin-checks.ts';
import type { createApp } from './http/app.ts';
import { createErrorResponse } from './http/error-responses.ts';
import { Metrics, readMaxDescriptorsOrInfinity } from './http/metrics.ts';
import type { EventStreams } from './http/routes/events-routes.ts';
import type { RespondMcp } from './http/routes/mcp-routes.ts';
import { loadPage } from './load-page.ts';
import type { Log } from './log.ts';
import type { HttpMcpDeps } from './mcp/mcp-server.ts';
import { openStore } from './open-store.ts';
import { SearchQueue } from './search/search-queue.ts';
import { resolveHostOrKeepName } from './service-url.ts';
import { ConnectionCloser, drainAndStopServer, type FetchHandler, type StopRequest } from './shutdown.ts';
import { reloadTokensOnSignal, type TokenReload } from './token-reload.ts';

/**
 * Accepted requests get this many ms for their responses: `drainMs` after a request to stop, as containers get 10 s,
 * and `drainAfterFailureMs` after the loss of the store.
 */
const drainMs = 8_000;
const drainAfterFailureMs = 500;

interface ServiceOptions {
  readonly schedule?: typeof backupCheckSchedule;
  /** By default, the service uses the tokens that it had at the start until it ends. */
  readonly reload?: TokenReload;
}

/**
 * Runs the service until `stopping` resolves, and returns the exit code. Shutdown: accepts no new connections, responds
 * to accepted requests, closes the store. Throws `NoteError` if it cannot start.
 */
export async function runService(
  config: Config,
  log: Log,
  stopping: PromiseWithResolvers<StopRequest>,
  { schedule = backupCheckSchedule, reload }: ServiceOptions = {},
): Promise<0 | 1> {
  const started = Promise.withResolvers<Access | undefined>();
  if (reload !== undefined) reloadTokensOnSignal(reload, started.promise, log);
  const metrics = new Metrics();
  const opening = openStore(config, log, {
    onCommit: (writes, seconds) => metrics.observeBatchSizeAndSeconds(writes, seconds),
    onLost: (failure) => stopping.resolve({ reason: 'the store failed', failure }),
  });
  const [opened, { createApp }] = await Promise.all([
    Promise.race([opening, stopping.promise]),
    import('./http/app.ts'),
  ]);
  if ('reason' in opened) return opened.failure === undefined ? 0 : 1; // stopped while waiting for the database
  await using store = opened;
  const onStarted = started.resolve;
  return await serveStoreAndGetExitCode({
    config,
    log,
    metrics,
    store,
    createApp,
    schedule,
    stopping: stopping.promise,
    onStarted,
  });
}

interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: NoteEngine;
  readonly createApp: typeof createApp;
  readonly schedule: typeof backupCheckSchedule;
  readonly stopping: Promise<StopRequest>;
  /** Is called once the service listens, with its access. That is undefined if everybody has access. */
  readonly onStarted: (access: Access | undefined) => void;
}

/** Serves an open store until `stopping` resolves. Returns the exit code. */
async function serveStoreAndGetExitCode(parts: ServiceParts): Promise<0 | 1> {
  const { config, log, metrics, store } = parts;
  const address = await resolveHostOrKeepName(config.host);
  using searches = new SearchQueue(store);
  const getPeerAddress = (request: Request) => server.requestIP(request)?.address ?? '';
  const getClientAddress = await createClientAddressFinder(getPeerAddress, config.trustedProxies);
  const access = await createAccessIfConfigured(config, { store, getClientAddress, log });
  await using audit = await openAuditLogIfConfigured(config, log);
  const ending = new AbortController();
  const streams: EventStreams = { stopping: ending.signal, countStuck: () => 0 };
  const app = parts.createApp({
    store,
    searches,
    log,
    metrics,
    access,
    audit,
    streams,
    getClientAddress,
    loadPage,
    settings: { ...config, allowedHosts: [...config.allowedHosts, ...listServiceHostNames(config.host)] },
    databaseId: hashDatabaseLocationIfExists(config.database),
    respondMcp: await createMcpResponderIfConfigured({ store, searches }, config, log),
    pendingRequests: () => server.pendingRequests,
  });
  const shutdown = new ConnectionCloser((request) => app.fetch(request));
  const server = startServer({ ...config, address }, (request) => shutdown.respond(request));
  using _probe = startEventLoopProbe(metrics);
  using _space = startDiskSpaceChecksIfOnDisk(config.database, log, metrics);
  await using _backups = startBackupScheduleIfConfigured(config, parts.schedule, createBackupCheckEvents(log, metrics));
  logStartAndWarnings(parts, server, address);
  parts.onStarted(access);

  const stop = await parts.stopping;
  ending.abort();
  return await stopServerAndGetExitCode(server, stop, { shutdown, log, countStuck: () => streams.countStuck() });
}

/** Logs where the service listens, and what an operator should know about its settings. */
function logStartAndWarnings({ config, log, store }: ServiceParts, server: Server<undefined>, address: string): void {
  warnIfDescriptorLimitIsLow(log);
  const exposure = formatExposureWarningIfAny(address, config);
  if (exposure !== undefined) log.warn({}, exposure);
  const { origin: url } = server.url;
  log.info({ url, store: store.location }, `Notes listens at ${url} and keeps notes in ${store.location}`);
  const obstacle = findBackupObstacle(config);
  if (obstacle !== undefined) log.info({}, obstacle);
}

interface StopDeps {
  readonly shutdown: ConnectionCloser;
  readonly log: Log;
  readonly countStuck: () => number;
}

/** Responds to accepted requests, in less time after a failure. Returns the exit code. */
async function stopServerAndGetExitCode(
  server: Server<undefined>,
  { reason, failure }: StopRequest,
  { shutdown, log, countStuck }: StopDeps,
): Promise<0 | 1> {
  if (failure !== undefined) {
    log.error({ reason, err: failure }, `Stopping: ${reason}`);
    await drainAndStopServer(server, drainAfterFailureMs, log);
    return 1;
  }
  log.info({ reason }, `Stopping: ${reason}`);
  await shutdown.addCloseHeadersUntilQuiet();
  await drainAndStopServer(server, drainMs, log, countStuck);
  return 0;
}

/** Returns undefined if the database is on another machine or in memory, so that no disk here can become full. */
function startDiskSpaceChecksIfOnDisk(database: DatabaseAddress, log: Log, metrics: Metrics): Disposable | undefined {
  if (database.engine !== 'sqlite' || database.path === ':memory:') return undefined;
  return startDiskSpaceChecks(new DiskSpaceReporter(database.path, log, metrics));
}

const createBackupCheckEvents = (log: Log, metrics: Metrics): BackupCheckEvents => ({
  onNewest: (at = 0) => metrics.setNewestBackupTimeMs(at),
  onMade: ({ path, notes, bytes }) => log.info({ backup: path, notes, bytes }, `The automatic backup is ${path}`),
  onRemoved(removed) {
    if (removed.length > 0) log.info({ removed }, `Expired backups were removed`);
  },
  onChecked(err) {
    metrics.setBackupCheckFailed(err !== undefined);
    if (err !== undefined) log.warn({ err }, `Automatic backups failed: ${getErrorMessage(err)}`);
  },
});

/**
 * Returns undefined without tokens. The module is imported on demand, as `node:net` and `node:crypto` are slow to load.
 */
async function createAccessIfConfigured(
  { accessTokens: tokens }: Pick<Config, 'accessTokens'>,
  deps: AccessDeps,
): Promise<Access | undefined> {
  if (tokens.length === 0) return undefined;
  const { Access } = await import('./http/access/access.ts');
  const access = new Access(deps);
  await access.replaceTokens(tokens);
  return access;
}

/**
 * Returns undefined if the log is off. The module is imported on demand, as most services have no audit log. Throws
 * `NoteError` if the log cannot be written.
 */
async function openAuditLogIfConfigured(
  { auditLog: path }: Pick<Config, 'auditLog'>,
  log: Log,
): Promise<AuditLog | undefined> {
  if (path === 'off') return undefined;
  const { AuditLog } = await import('./audit-log.ts');
  return new AuditLog(path, log);
}

/** Returns undefined if MCP is off. The module is imported on demand, as most services do not need it. */
async function createMcpResponderIfConfigured(
  notes: Pick<HttpMcpDeps, 'store' | 'searches'>,
  { mcp: mode, mcpSecrets }: Pick<Config, 'mcp' | 'mcpSecrets'>,
  log: Log,
): Promise<RespondMcp | undefined> {
  if (mode === 'off') return undefined;
  const { createMcpResponder } = await import('./mcp/mcp-server.ts');
  const report = (err: unknown) => log.error({ err }, 'An MCP request failed');
  const rights = { writes: mode === 'write', allowsSecrets: mcpSecrets === 'allow' };
  return createMcpResponder({ ...notes, ...rights, report }, (rejection) =>
    log.debug({ reason: rejection.message }, 'An MCP request was refused'),
  );
}

interface ListenAddress extends Pick<Config, 'host' | 'port'> {
  /** The address of the host, or the host itself if its name cannot be resolved. */
  readonly address: string;
}

function startServer(config: ListenAddress, fetch: FetchHandler): Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      development: false,
      reusePort: false,
      idleTimeout: 120,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // http/json-body-reader.ts enforces the limit
      fetch,
      error: () => createErrorResponse(500, message.unexpected),
    });
  } catch (error) {
    throw new NoteError('unavailable', formatListenError(error, config), { cause: error });
  }
}

/** Checks the address first, because Bun says of a host that cannot be resolved that its port is in use. */
function formatListenError(error: unknown, { host, port, address }: ListenAddress): string {
  const code = getErrorCodeOrEmpty(error);
  const otherHost = 'Name an address of this machine with HOST or --host';
  if (!isIpAddress(address)) return `The host ${host} cannot be resolved. ${otherHost}`;
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. ${otherHost}`;
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use. Choose another one with PORT or --port`;
  if (code === 'EACCES') return `Port ${port} of ${host} needs more rights. Choose one above 1023 with PORT or --port`;
  return `Cannot listen at port ${port} of ${host}: ${getErrorMessage(error)}`;
}

const probeIntervalMs = 500;

/** Measures how late timers fire: the longest pause of the event loop. */
function startEventLoopProbe(metrics: Metrics): Disposable {
  let expected = performance.now() + probeIntervalMs;
  const timer = setInterval(() => {
    metrics.observeLoopLagSeconds(Math.max(0, performance.now() - expected) / 1000);
    expected = performance.now() + probeIntervalMs;
  }, probeIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Without free descriptors, the runtime accepts no connections and spins. */
function warnIfDescriptorLimitIsLow(log: Log): void {
  const limit = readMaxDescriptorsOrInfinity();
  if (limit < 4096)
    log.warn({ limit }, `Only ${limit} files may be open. Raise the limit with "ulimit -n" or LimitNOFILE`);
}
