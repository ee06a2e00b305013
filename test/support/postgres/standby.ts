/** A standby server that can take over from its primary. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRelay } from '../relay.ts';
import { waitForRow } from './processes.ts';
import { type PostgresServer, password, startPostgres } from './server.ts';

/** Copies the data folder of a primary and configures the copy as its standby. */
async function copyAsStandby(primary: string, copy: string): Promise<void> {
  await Bun.spawn(['cp', '-a', primary, copy]).exited;
  const { uid, gid } = statSync(copy);
  const signal = join(copy, 'standby.signal');
  writeFileSync(signal, '');
  chownSync(signal, uid, gid);
}

export interface Standby extends AsyncDisposable {
  readonly server: PostgresServer;
  /** Drops everything that the primary sends from now on. */
  cutOff(): void;
}

/** Starts a standby with all data of the primary, and waits until it is streaming. */
export async function restartPrimaryAndStartStandby(primary: PostgresServer): Promise<Standby> {
  await using opened = new AsyncDisposableStack();
  let isCutOff = false;
  const link = opened.use(await startRelay(() => primary.port, { toClient: () => !isCutOff }));
  primary.signal('SIGINT');
  await primary.ended();
  const fill = async (folder: string) => {
    await copyAsStandby(primary.folder, folder);
    await primary.start();
  };
  const settings = { primary_conninfo: `host=127.0.0.1 port=${link.port} user=postgres password=${password}` };
  const server = opened.use(await startPostgres({ fill, settings }));
  await waitForRow(primary, "SELECT 1 AS one FROM pg_stat_replication WHERE state = 'streaming'");
  const all = opened.move();
  const cutOff = () => {
    isCutOff = true;
  };
  return { server, cutOff, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
