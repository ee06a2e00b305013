import { buildInfo } from '../../../core/build-info.ts';
import { singleFlight } from '../../../core/concurrency.ts';
import { NoteError } from '../../../core/error.ts';
import { databaseHeader } from '../../../core/protocol.ts';
import type { EngineStats, NoteEngine } from '../../../core/store.ts';
import type { Log } from '../../log.ts';
import { createErrorResponse } from '../error-responses.ts';
import type { Metrics } from '../metrics.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders, jsonResponseInit } from '../response-headers.ts';

interface HealthDeps {
  readonly store: NoteEngine;
  readonly databaseId: string | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The number of open event streams. */
  readonly countListeners: () => number;
  readonly needsToken: boolean;
}

/** Adds endpoints for operators: liveness, readiness, metrics. */
export function addHealthAndMetricsRoutes(on: AddRoute, deps: HealthDeps): void {
  const { store, databaseId, metrics, log, countListeners, needsToken } = deps;
  const alive = { status: 'alive', ...buildInfo, ...(needsToken && { access: 'token' }) };
  on('GET', '/healthz', () => Response.json(alive, jsonResponseInit));

  const identity: Record<string, string> = databaseId === undefined ? {} : { [databaseHeader]: databaseId };
  /** This reason why the store is not ready was logged last, and is not logged again while it stays the same. */
  let logged: string | undefined;
  /** All that ask while a check runs share it: each check writes and rolls back, which delays other writes. */
  const check = singleFlight(() => store.assertReadableAndWritable());

  /** Finds why the store is not ready; undefined if it is ready. Logs each new reason. */
  const checkStoreAndLogFault = async (): Promise<NoteError | undefined> => {
    try {
      await check();
      logged = undefined;
      return undefined;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      if (logged !== error.message) log.warn({ err: error, cause: error.cause }, `Not ready: ${error.message}`);
      logged = error.message;
      return error;
    }
  };

  on('GET', '/readyz', async () => {
    const fault = await checkStoreAndLogFault();
    if (fault !== undefined) return createErrorResponse(503, fault.message, { 'Retry-After': '1', ...identity });
    return Response.json({ status: 'ready' }, { headers: { ...jsonHeaders, ...identity } });
  });

  on('GET', '/metrics', async () => {
    const headers = { ...jsonHeaders, 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };
    const [fault, stats] = await Promise.all([checkStoreAndLogFault(), readStatsIfAvailable(store)]);
    const figures = { isReady: fault === undefined, stats, listeners: countListeners() };
    return new Response(metrics.formatScrapeAndResetLag(figures), { headers });
  });
}

async function readStatsIfAvailable(store: NoteEngine): Promise<EngineStats | undefined> {
  try {
    return await store.readStats();
  } catch (error) {
    if (error instanceof NoteError) return undefined;
    throw error;
  }
}
