import { ConfigError } from '../../../config/config.ts';
import { type DatabaseAddress, type Environment, settings } from '../../../config/settings-table.ts';
import { getErrorMessage } from '../../../core/thrown-errors.ts';
import { formatLocation } from '../../../store/postgres/open-postgres-database.ts';
import { isSameFile } from '../../../store/sqlite/database-files.ts';
import { toDatabaseUrl } from '../../notes/store-location.ts';

export interface Route {
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
}

export const routeVariables = { from: 'MIGRATE_FROM', to: 'MIGRATE_TO' } as const;

/** Reads the addresses from flags, else from the environment. Throws `ConfigError`. */
export function readMigrationRoute(env: Environment, flags: Partial<Record<keyof Route, string>>): Route {
  const route = {
    from: parseDatabaseFlagOrVariable('from', flags.from, env),
    to: parseDatabaseFlagOrVariable('to', flags.to, env),
  };
  if (isSameDatabase(route)) throw new ConfigError('--from and --to name the same store');
  return route;
}

/** Errors state the rule without the address: any part of a malformed one may be the password. */
function parseDatabaseFlagOrVariable(name: keyof Route, flag: string | undefined, env: Environment): DatabaseAddress {
  const variable = routeVariables[name];
  const text = flag === undefined ? env[variable] : toDatabaseUrl(flag);
  if (!text) throw new ConfigError(`Name a store by --${name} or ${variable}`);
  const source = flag === undefined ? variable : `--${name}`;
  try {
    const address = settings.database.parse(text.trim());
    if (address.engine === 'postgres' || address.path !== ':memory:') return address;
  } catch (error) {
    throw new ConfigError(`${source} must be ${getErrorMessage(error)}`);
  }
  throw new ConfigError(`${source} must not be sqlite::memory:, which keeps nothing`);
}

function isSameDatabase({ from, to }: Route): boolean {
  if (from.engine === 'postgres') return to.engine === 'postgres' && formatLocation(from) === formatLocation(to);
  return to.engine === 'sqlite' && isSameFile(from.path, to.path);
}
