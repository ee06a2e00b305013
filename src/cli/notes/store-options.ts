import type { Command } from 'commander';

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
