import { realpathSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { AutomaticBackups } from '../store/sqlite/backup/automatic.ts';
import type { Backup } from '../store/sqlite/backup/backup.ts';

/** When a service checks whether a backup is due, in ms: after its start, then periodically. */
export const backupSchedule = { firstMs: 60_000, everyMs: 60 * 60_000 };

/** Events of automatic backups. */
export interface BackupEvents {
  /** The newest one was begun at `at`, in ms since 1970; undefined: there is none. */
  readonly onNewest: (at: number | undefined) => void;
  readonly onMade: (backup: Backup) => void;
  /** Expired backups were removed; possibly none. */
  readonly onRemoved: (paths: readonly string[]) => void;
  /** A check has ended; `failure` if a due backup was not made, or expired ones could not be removed. */
  readonly onChecked: (failure?: unknown) => void;
}

type Settings = Pick<Config, 'database' | 'backupDir' | 'backupKeep'>;

/** Backs the open store up daily until disposed; undefined if the settings disable it. */
export function startBackups(
  { database, backupDir: folder, backupKeep: keep }: Settings,
  { firstMs, everyMs }: typeof backupSchedule,
  events: BackupEvents,
): AsyncDisposable | undefined {
  if (folder === 'off' || database.engine !== 'sqlite') return undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    for (let ms = firstMs; ; ms = everyMs) {
      await wait(ms, undefined, { signal });
      await backUpIfDue({ database: database.path, folder, keep }, signal, events).then(
        () => events.onChecked(),
        (error) => signal.aborted || events.onChecked(error),
      );
    }
  };
  const ended = work().catch(() => {}); // rejects only on abort
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

/** Loads its code on demand: the first check is long after the start. */
async function backUpIfDue(given: AutomaticBackups, signal: AbortSignal, events: BackupEvents): Promise<void> {
  const { automaticBackupsIn, isDue, makeAutomatic, newestOf, removeExpired } = await import(
    '../store/sqlite/backup/automatic.ts'
  );
  const now = Date.now();
  const plan = { ...given, database: realpathSync(given.database) };
  const newest = newestOf(await automaticBackupsIn(plan.folder, plan.database), now);
  events.onNewest(newest?.at);
  if (!isDue(newest, now)) return;
  events.onMade(await makeAutomatic(plan, now, signal));
  events.onNewest(now);
  events.onRemoved(await removeExpired(plan, now));
}
