import { realpathSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Backup } from '../store/sqlite/backup/backup.ts';

/** When a service looks whether a backup is due, in ms: for the first time after its start, and then again. */
export interface BackupSchedule {
  readonly firstMs: number;
  readonly everyMs: number;
}

export const backupSchedule: BackupSchedule = { firstMs: 60_000, everyMs: 60 * 60_000 };

/** What becomes of automatic backups. */
export interface BackupEvents {
  /** The newest one was begun at `at`, in ms; undefined: there is none. */
  readonly onNewest: (at: number | undefined) => void;
  readonly onMade: (backup: Backup) => void;
  /** Those that have expired are gone; there may be none. */
  readonly onRemoved: (paths: readonly string[]) => void;
  /** A look is over. It failed where one that was due was not made, or older ones could not be removed. */
  readonly onLooked: (failure?: unknown) => void;
}

type Settings = Pick<Config, 'database' | 'backupDir' | 'backupKeep'>;

/** Makes a backup a day of the store that is open, until it is disposed of; undefined where the settings want none. */
export function startBackups(
  { database, backupDir: folder, backupKeep: keep }: Settings,
  { firstMs, everyMs }: BackupSchedule,
  events: BackupEvents,
): AsyncDisposable | undefined {
  if (folder === 'off' || database.engine !== 'sqlite') return undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    for (let ms = firstMs; ; ms = everyMs) {
      await wait(ms, undefined, { signal });
      await look({ path: database.path, folder, keep }, signal, events).then(
        () => events.onLooked(),
        (error) => signal.aborted || events.onLooked(error),
      );
    }
  };
  const ended = work().catch(() => {}); // by the signal
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

interface Plan {
  /** Of the database. */
  readonly path: string;
  readonly folder: string;
  readonly keep: Config['backupKeep'];
}

/** Loaded on demand: the first look comes long after the start. */
async function look({ path, folder, keep }: Plan, signal: AbortSignal, events: BackupEvents): Promise<void> {
  const { automaticBackupsIn, isDue, makeAutomatic, newestOf, removeExpired } = await import(
    '../store/sqlite/backup/automatic.ts'
  );
  const now = Date.now();
  const database = realpathSync(path);
  const newest = newestOf(await automaticBackupsIn(folder, database), now);
  events.onNewest(newest?.at);
  if (!isDue(newest, now)) return;
  const plan = { database, folder, keep };
  events.onMade(await makeAutomatic(plan, now, signal));
  events.onNewest(now);
  events.onRemoved(await removeExpired(plan, now));
}
