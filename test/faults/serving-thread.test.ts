/** The thread that answers never writes to a file and never waits for a disk, whatever the service does. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupPath } from '../../src/store/sqlite/backup/backup-names.ts';
import { dayMs } from '../../src/store/sqlite/backup/retention.ts';
import { eventually } from '../support/eventually.ts';
import { Load } from '../support/http/load.ts';
import { beginList, spooledLists, storeLongList } from '../support/http/long-list.ts';
import { seed, seeded } from '../support/random.ts';
import { jsonBody, portableNote, startService } from '../support/service.ts';
import { callsOf, obstacleToInjection } from '../support/system/strace.ts';
import { temporaryDatabase } from './database.ts';

const reason = obstacleToInjection();
const calls =
  'fsync,fdatasync,sync_file_range,msync,pwrite64,pwritev,ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat';

test.skipIf(reason !== undefined)(
  'writes, merges, labels, checks, checkpoints and the lists of stalled readers are written by other threads',
  async () => {
    using database = temporaryDatabase();
    await storeLongList(database.path);
    await using service = await startService(database.settings);
    const ask = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init).then(({ status }) => status);
    const { pid } = service.process;
    const load = new Load(seeded(seed), 'unknown', { lengths: [20_000] });

    const made = await callsOf(pid, calls, async () => {
      await load.during(() => load.reach(1_500), service);
      using _stalled = await beginList(service.url);
      expect(await eventually(() => spooledLists(service.process) > 0)).toBe(true);
      expect(await ask('/merge', jsonBody({ notes: [portableNote(1_000_000)] }))).toBe(200);
      expect(await ask('/api/labels', jsonBody({ first: 'A', second: 'B' }, 'PUT'))).toBe(200);
      expect(await ask('/readyz')).toBe(200);
    });

    const named = (pattern: RegExp) => made.filter(({ text }) => pattern.test(text));
    expect(named(/^pwrite64\(.*notes\.db>/)).not.toEqual([]); // a checkpoint
    expect(named(/^f(data)?sync\(.*-wal>/)).not.toEqual([]);
    expect(named(/\.notes-list-.*\/rest/)).not.toEqual([]);
    expect(made.filter(({ thread }) => thread === pid)).toEqual([]);
  },
  60_000,
);

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
      const made = await callsOf(service.pid, `${calls},write,mkdir,mkdirat,unlink,unlinkat,rmdir`, async () => {
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
