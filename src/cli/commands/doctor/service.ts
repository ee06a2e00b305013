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

function checkOf(address: string, readiness: Readiness): Check {
  const logs = 'Read its log';
  switch (readiness.kind) {
    case 'ready':
      return ok(name, `ready at ${address}`);
    case 'not ready':
      return fault(name, `not ready at ${address}: ${readiness.reason}`, logs);
    case 'other':
      return fault(
        name,
        `another program answers at ${address}`,
        'Give the address of the service with --url, or HOST and PORT',
      );
    case 'silent':
      return fault(name, `no answer from ${address}: ${readiness.reason}`, logs);
    case 'nobody':
      return fault(name, `nothing listens at ${address}`, 'Start it with "notes serve"');
  }
}
