import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { BackupEvents } from '../store/sqlite/backup/automatic-backups.ts';

/** A service checks whether a backup is due `firstMs` after its start, and then every `everyMs`. */
export const backupCheckSchedule = { firstMs: 60_000, everyMs: 60 * 60_000 };

export interface BackupCheckEvents extends BackupEvents {
  /**
   * Is called when a check has ended, with `failure` if a due backup was not made, or expired ones could not be
   * removed.
   */
  readonly onChecked: (failure?: unknown) => void;
}

type BackupSettings = Pick<Config, 'database' | 'backupDir' | 'backupKeep'>;

/** Says why a file will not be backed up; undefined if it will be. */
export function findBackupObstacle({
  database,
  backupDir: folder,
}: Omit<BackupSettings, 'backupKeep'>): string | undefined {
  if (database.engine !== 'sqlite' || database.path === ':memory:') return undefined;
  if (folder === 'off') return 'Automatic backups are off. BACKUP_DIR names their folder';
  const parent = dirname(resolve(folder));
  return existsSync(parent) ? undefined : `Automatic backups will fail: there is no folder ${parent} (BACKUP_DIR)`;
}

/** Backs the open store up daily until disposed; undefined if the settings disable it. */
export function startBackupScheduleIfConfigured(
  { database, backupDir: folder, backupKeep: keep }: BackupSettings,
  { firstMs, everyMs }: typeof backupCheckSchedule,
  events: BackupCheckEvents,
): AsyncDisposable | undefined {
  if (folder === 'off' || database.engine !== 'sqlite') return undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const checkPeriodically = async () => {
    for (let ms = firstMs; ; ms = everyMs) {
      await wait(ms, undefined, { signal });
      const { backUpAndDeleteExpiredIfDue } = await import('../store/sqlite/backup/automatic-backups.ts'); // long after the start
      await backUpAndDeleteExpiredIfDue({ database: database.path, folder, keep }, signal, events).then(
        () => events.onChecked(),
        (error) => signal.aborted || events.onChecked(error),
      );
    }
  };
  const ended = checkPeriodically().catch(() => {}); // rejects only on abort
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}
