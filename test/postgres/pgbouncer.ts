/** Starts PgBouncer, as distributions install it, in front of a database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../support/postgres/server.ts';
import { createTemporaryFolder } from '../support/service.ts';

/** Path of the program; null where it is not installed. */
export const pgbouncer = Bun.which('pgbouncer', { PATH: `${process.env['PATH']}:/usr/sbin` });

export interface Bouncer extends AsyncDisposable {
  /** The address of the database through PgBouncer. */
  readonly url: string;
}

/** PgBouncer refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Pools `poolSize` connections per transaction. */
export async function startBouncer(databaseUrl: string, poolSize: number): Promise<Bouncer> {
  if (pgbouncer === null) throw new Error('PgBouncer is not installed');
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const folder = createTemporaryFolder();
  const listenPort = await findFreePort();
  const [config, users] = [join(folder.path, 'pgbouncer.ini'), join(folder.path, 'users.txt')];
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    auth_type: 'plain',
    auth_file: users,
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    max_client_conn: 500,
    unix_socket_dir: '',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(config, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines.join('')}`);
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  if (nobody) for (const file of [folder.path, config, users]) chownSync(file, nobody.uid, nobody.gid);
  chmodSync(users, 0o600);

  const child = spawn(pgbouncer, [config], { ...nobody, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  await isUp(child.stderr, ended);
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(listenPort), pathname });
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

/** Resolves when it has logged that it listens. */
async function isUp(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  const up = Promise.withResolvers<void>();
  const log: string[] = [];
  stderr.on('data', (text) => {
    log.push(String(text));
    if (log.join('').includes('process up')) up.resolve();
  });
  void ended.then(() => up.reject(new Error(`PgBouncer ended: ${log.join('')}`)));
  await up.promise;
}
