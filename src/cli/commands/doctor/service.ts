import { type Environment, readConfig, settings } from '../../../config.ts';
import { reachable } from '../../../server/address.ts';
import { messageOf } from '../../../shared/thrown.ts';
import { type Check, fault, ok } from './check.ts';
import { askReadiness, type Readiness } from './readiness.ts';

const name = 'service';
const maxMs = 2_500;

/** Checks whether the service at `url`, by default at HOST and PORT, can answer requests; within 3 s. */
export async function examineService(env: Environment, url?: string): Promise<Check> {
  try {
    const address = url ?? (await addressIn(env));
    return checkOf(address, await askReadiness(address, maxMs));
  } catch (error) {
    return fault(name, messageOf(error), 'Correct the settings');
  }
}

/** Ignores other settings, which may be invalid here. */
async function addressIn(env: Environment): Promise<string> {
  const names = [settings.host.variable, settings.port.variable];
  const known = Object.fromEntries(names.map((variable) => [variable, env[variable]]));
  const { host, port } = readConfig(known, { database: 'sqlite::memory:' });
  if (port === 0) throw new Error('With PORT=0 the port of the service is unknown. Give it with --url');
  return reachable(host, port);
}

const logs = 'Read its log';
const otherAddress = 'Give the address of the service with --url, or HOST and PORT';

function checkOf(address: string, { kind, reason }: Readiness): Check {
  if (kind === 'ready') return ok(name, `ready at ${address}`);
  if (kind === 'not ready') return fault(name, `not ready at ${address}: ${reason}`, logs);
  if (kind === 'silent') return fault(name, `no answer from ${address}: ${reason}`, logs);
  if (kind === 'other') return fault(name, `another program answers at ${address}`, otherAddress);
  return fault(name, `nothing listens at ${address}`, 'Start it with "notes serve"');
}
