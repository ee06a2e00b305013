/** The thread that answers does not wait for a disk, whatever the service does. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupPath } from '../../src/store/sqlite/backup/backup-names.ts';
import { dayMs } from '../../src/store/sqlite/backup/retention.ts';
import { eventually } from '../support/eventually.ts';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { jsonBody, portableNote, startService } from '../support/service.ts';
import { callsOf, obstacleToInjection } from '../support/system/strace.ts';
import { temporaryDatabase } from './database.ts';

const reason = obstacleToInjection();
test.skipIf(reason !== undefined)(
  'writes, merges, labels, checks and checkpoints are synced by other threads',
  async () => {
    using database = temporaryDatabase();
    await using service = await startService(database.settings);
    const ask = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init).then(({ status }) => status);
    const { pid } = service.process;
    const load = new Load(seeded(seed), 'unknown', { lengths: [20_000] });

    const made = await callsOf(pid, 'fsync,fdatasync', async () => {
      await load.during(() => load.reach(1_500), service);
      expect(await ask('/merge', jsonBody({ notes: [portableNote(1_000_000)] }))).toBe(200);
      expect(await ask('/api/labels', jsonBody({ first: 'A', second: 'B' }, 'PUT'))).toBe(200);
      expect(await ask('/readyz')).toBe(200);
    });

    const own = made.filter(({ thread }) => thread === pid);
    expect(made.filter(({ text }) => /notes\.db>/.test(text))).not.toEqual([]); // a checkpoint
    expect(own.filter(({ text }) => !/-wal>/.test(text))).toEqual([]);
    expect(own.length).toBeLessThan(10); // the head of a log that begins anew
    expect(made.length - own.length).toBeGreaterThan(30);
  },
  60_000,
);

const calls = 'fsync,fdatasync,write,pwrite64,ftruncate,rename,mkdir,mkdirat,unlink,unlinkat,rmdir';

test.skipIf(reason !== undefined)(
  'other threads make an automatic backup and remove an expired one',
  async () => {
    using database = temporaryDatabase();
    const folder = `${database.path}-backups`;
    mkdirSync(folder);
    const expired = backupPath(database.path, folder, Date.now() - 9 * dayMs);
    writeFileSync(expired, 'expired');
    const service = Bun.spawn([process.execPath, join(import.meta.dir, 'automatic-backup-program.ts')], {
      env: { ...database.settings, PORT: '0', BACKUP_DIR: folder, BACKUP_KEEP: '1 0' },
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'inherit',
    });
    try {
      const made = await callsOf(service.pid, calls, async () => {
        await service.stdin.end();
        expect(await eventually(() => !existsSync(expired))).toBe(true);
      });

      const ofBackups = made.filter(({ text }) => text.includes(folder));
      for (const call of ['mkdir', 'write', 'fsync', 'rename', 'unlink']) {
        expect(ofBackups.map(({ text }) => text).join()).toContain(call);
      }
      expect(ofBackups.filter(({ thread }) => thread === service.pid)).toEqual([]);
    } finally {
      service.kill('SIGKILL');
      await service.exited;
    }
  },
  60_000,
);
