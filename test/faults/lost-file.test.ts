/** A file of the database is deleted or replaced while 64 clients write; SQLite alone would keep writing to the old one. */
import { expect, test } from 'bun:test';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { logsOf, temporaryDatabase } from './database.ts';
import { report } from './report.ts';

const rounds = scaled(6, 2);

function replace(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

/** SQLite may notice first. */
const noticed = /was deleted or replaced while the service ran|disk I\/O error|database disk image is malformed/;

/** A different log in each round, if there are several. */
const logOf = (path: string, round: number) => logsOf(path).toSorted()[round % logsOf(path).length] ?? '';

test.each<[string, (path: string, round: number) => void]>([
  ['database is deleted', (path) => rmSync(path)],
  ['database is replaced', replace],
  ['log is deleted', (path, round) => rmSync(logOf(path, round))],
  ['log is replaced', (path, round) => replace(logOf(path, round))],
  ['lock is deleted', (path) => rmSync(`${path}.lock`)],
])(
  'when its %s, the service acknowledges nothing after 1 s and ends with 1',
  async (name, damage) => {
    const random = seeded(seed);
    let latest = 0;
    for (let round = 0; round < rounds; round++) {
      using database = temporaryDatabase();
      await using service = await startService(database.settings);
      const load = new Load(random, 'unknown');
      let struck = 0;

      await load.during(async () => {
        await load.reach(500 + random.below(500));
        damage(database.path, round);
        struck = performance.now();
        await Promise.race([service.process.exited, Bun.sleep(3_000)]);
      }, service);

      expect(load.acknowledgedAt - struck).toBeLessThan(1_000);
      expect(await Promise.race([service.process.exited, Bun.sleep(3_000)])).toBe(1);
      expect(service.log.join('\n')).toMatch(noticed);
      expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual([]);
      latest = Math.max(latest, load.acknowledgedAt - struck);
    }
    report(6, `its ${name}: ${rounds} rounds, last acknowledgement ${latest.toFixed(0)} ms after, exit code 1`);
  },
  rounds * 10_000,
);

test('a service whose lock was deleted stops though nobody asks for anything', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);

  rmSync(`${database.path}.lock`);

  expect(await service.process.exited).toBe(1);
  expect(service.log.join('\n')).toContain('.lock was deleted or replaced while the service ran');
}, 60_000);
