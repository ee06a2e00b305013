import type { Command } from 'commander';
import { type Config, ConfigError, type Environment, readConfig, storeEnvironment } from '../../config.ts';

/** Flags that select the notes a command works on. */
export interface StoreOptions {
  /** Address of a running service. */
  readonly url?: string;
  /** A file, or a value of `DATABASE_URL`. */
  readonly db?: string;
}

/** Flags that many commands on notes have. */
export interface NoteFlags extends StoreOptions {
  /** Whether to print JSON. */
  readonly json?: boolean;
  /** Whether to change notes without asking. */
  readonly yes?: boolean;
}

/** Adds the flags that select notes to a command. */
export const withStoreOptions = (command: Command): Command =>
  withDatabase(command.option('--url <url>', 'use the service at this address (NOTES_URL)'));

/** Adds the flag for commands that need the store itself. */
export const withDatabase = (command: Command): Command =>
  command.option('--db <store>', 'use this store: a file, or any value of DATABASE_URL (DATABASE_URL)');

/** Turns a path into a URL. */
export const storeUrl = (db: string): string => (/^(sqlite:|postgres(ql)?:|\w+:\/\/)/.test(db) ? db : `sqlite:${db}`);

/** Settings of the store named by the flag or the environment. Throws `ConfigError`. */
export const storeConfig = (env: Environment, db: string | undefined): Config =>
  readConfig(storeEnvironment(env), db === undefined ? {} : { database: storeUrl(db) });

/** Address of the service named by flags or environment; undefined if they name a store. */
export const serviceIn = ({ NOTES_URL }: Environment, { url, db }: StoreOptions): string | undefined =>
  url ?? (db === undefined ? NOTES_URL || undefined : undefined);

/** Throws `ConfigError` if the text is not the address of a service. */
export function checkedUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new ConfigError(`The address of a service must begin with http:// or https://, not "${url}"`);
}
