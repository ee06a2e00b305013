import type { Command } from 'commander';
import { type Config, ConfigError, type Environment, readConfig, storeEnvironment } from '../../config.ts';

/** Which notes a command works on, as its flags say. */
export interface StoreOptions {
  /** The address of a running service. */
  readonly url?: string;
  /** A store: a file, or what `DATABASE_URL` may be. */
  readonly db?: string;
}

/** Gives a command the flags that say which notes it works on. */
export const withStoreOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'work through the service at this address (NOTES_URL)')
    .option('--db <store>', 'work on this store: a file, or what DATABASE_URL may be (DATABASE_URL)');

/** A path stands for a file. */
export const storeUrl = (db: string): string => (/^(sqlite|postgres(ql)?):/.test(db) ? db : `sqlite:${db}`);

/** The settings of the store that a flag, or else the environment, names. Throws `ConfigError`. */
export const storeConfig = (env: Environment, db: string | undefined): Config =>
  readConfig(storeEnvironment(env), db === undefined ? {} : { database: storeUrl(db) });

/** The address of a service that flags, or else the environment, name; undefined where they name a store. */
export const serviceIn = ({ NOTES_URL }: Environment, { url, db }: StoreOptions): string | undefined =>
  url ?? (db === undefined ? NOTES_URL || undefined : undefined);

/** Throws `ConfigError` for what is no address of a service. */
export function checkedUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new ConfigError(`The address of a service must begin with http:// or https://, not "${url}"`);
}
