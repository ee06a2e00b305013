import { once } from 'node:events';
import { createServer } from 'node:net';
import { arch, release, type } from 'node:os';
import type { Config } from '../../../config.ts';
import { reachable } from '../../../server/address.ts';
import { sqliteVersion, versionFault } from '../../../server/sqlite-version.ts';
import { versionText } from '../../../shared/build-info.ts';
import { maxDescriptors } from '../../../shared/descriptors.ts';
import { codeOf } from '../../../shared/thrown.ts';
import { type Check, fault, ok, warning } from './check.ts';
import { askReadiness } from './readiness.ts';

export function examineVersions(): Check {
  const sqlite = sqliteVersion();
  const versions = [`Notes ${versionText}`, `Bun ${Bun.version}`, `SQLite ${sqlite}`];
  const found = `${versions.join(', ')}, ${type()} ${release()} on ${arch()}`;
  const danger = versionFault(sqlite);
  return danger === undefined ? ok('versions', found) : warning('versions', found, danger);
}

/** The runtime cannot accept connections without free descriptors. */
export function examineDescriptors(): Check {
  const limit = maxDescriptors();
  const found = `${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit} files may be open`;
  if (limit >= 4096) return ok('descriptors', found);
  return warning('descriptors', found, 'Raise it to 4,096 or more with "ulimit -n" or LimitNOFILE');
}

const name = 'port';
const otherPort = 'Choose another one with PORT or --port';

/** Checks if a service can or does listen as configured. `own` is the address of the one that holds the notes. */
export async function examinePort({ host, port }: Pick<Config, 'host' | 'port'>, isInUse: boolean): Promise<Check> {
  if (port === 0) return ok(name, 'any free one (PORT=0)');
  const address = `port ${port} of ${host}`;
  const code = await obstacleToListening(host, port);
  if (code === undefined) return ok(name, `${address} is free`);
  if (code === 'EACCES')
    return fault(name, `${address} needs more rights`, 'Choose one above 1023 with PORT or --port');
  if (code !== 'EADDRINUSE')
    return fault(name, `cannot listen at ${address} (${code})`, 'Name an address of this machine in HOST');
  const url = await reachable(host, port);
  const { kind } = await askReadiness(url, 2_000);
  const isService = kind === 'ready' || kind === 'not ready';
  if (isService && isInUse) return ok(name, `${address} is taken by a notes service, probably that of these notes`);
  if (isService) return warning(name, `${address} is taken by another notes service`, otherPort);
  return fault(name, `${address} is taken by another program`, otherPort);
}

async function obstacleToListening(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
    return undefined;
  } catch (error) {
    return codeOf(error) || String(error);
  } finally {
    server.close();
  }
}
