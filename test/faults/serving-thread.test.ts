/** The thread that answers does not wait for a disk, whatever the service does. */
import { expect, test } from 'bun:test';
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
