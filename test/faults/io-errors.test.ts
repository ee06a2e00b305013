/** System calls on the files of the database fail while 64 clients write. */
import { describe, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { Load } from '../support/http/load.ts';
import { type Random, seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { run } from '../support/system/disk.ts';
import { type Fault, inject, obstacleToInjection } from '../support/system/strace.ts';
import { integrityOf, logsOf, sizeOf, type TemporaryDatabase, temporaryDatabase } from './database.ts';
import { report, reportSkipped } from './report.ts';

const reason = obstacleToInjection();
if (reason !== undefined) reportSkipped(3, reason);

const rounds = scaled(4, 1);
const syncs = 'fsync,fdatasync';
const writes = 'pwrite64,pwritev,pwritev2,write,writev,ftruncate,fallocate';
const ofLog = 'a single sync of the log fails';
const filesOf = (database: string) => [database, ...logsOf(database)];

/** Fails from a random one of the first `count` calls on. */
const eioWithin = (count: number, random: Random) => `error=EIO:when=${1 + random.below(count)}+`;

/** Checks that all acknowledged writes are there and the database is intact. */
async function verify(database: TemporaryDatabase, load: Load): Promise<void> {
  await using restarted = await startService(database.settings);
  await load.verify(restarted);
  expect(integrityOf(database.path)).toBe('ok');
  expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual([]);
}

/** Resolves to the time of its exit, in ms since 1970, or to -1 if it keeps running. */
const endOf = ({ process }: Service) =>
  Promise.race([process.exited.then(() => Date.now()), Bun.sleep(5_000).then(() => -1)]);

describe.skipIf(reason !== undefined).each<[string, (database: string, random: Random) => Fault]>([
  ['syncs fail', (_, random) => ({ calls: syncs, effect: eioWithin(40, random) })],
  [
    ofLog,
    (database, random) => ({
      calls: syncs,
      effect: `error=EIO:when=${1 + random.below(40)}`,
      files: [`${database}-wal`],
    }),
  ],
  ['syncs of the database fail', (database) => ({ calls: syncs, effect: 'error=EIO', files: [database] })],
  [
    'writes fail',
    (database, random) => ({ calls: writes, effect: eioWithin(2_000, random), files: filesOf(database) }),
  ],
])('when %s', (name, faultOf) => {
  test(
    'the service ends within 1 s, with another code than 0, and has all that it acknowledged',
    async () => {
      const random = seeded(seed);
      let slowest = 0;
      let acknowledged = 0;
      for (let round = 0; round < rounds; round++) {
        using database = temporaryDatabase();
        const load = new Load(random, 'unknown');
        await using service = await startService(database.settings);
        await using injection = await inject(service.process.pid, faultOf(database.path, random));

        const ended = endOf(service);
        await load.during(() => ended, service);
        const [first = Number.NaN] = await injection.stop();
        const ms = (await ended) - first;

        expect(service.process.exitCode).toBe(1);
        expect(ms).toBeLessThan(1_000);
        if (name === ofLog) expect([...load.refusals]).toContain('unknown');
        await verify(database, load);
        slowest = Math.max(slowest, ms);
        acknowledged += load.acknowledged;
      }
      report(
        3,
        `${name}: ${rounds} rounds, ${acknowledged} acknowledged, 0 lost, ended after ${slowest.toFixed(0)} ms at most`,
      );
    },
    rounds * 20_000,
  );
});

test.skipIf(reason !== undefined)(
  'when writes find no room the service goes on, or ends with 1 when it cannot, and has all that it acknowledged',
  async () => {
    using database = temporaryDatabase();
    const load = new Load(seeded(seed), 'unknown');
    await using service = await startService(database.settings);

    const endings = await load.during(async () => {
      for (let round = 0; round < rounds * 2; round++) {
        await load.reach(load.acknowledged + 300);
        const fault = { calls: writes, effect: 'error=ENOSPC', files: filesOf(database.path) };
        const refused = load.answers.get(500) ?? 0;
        await using injection = await inject(service.process.pid, fault);
        await eventually(() => (load.answers.get(500) ?? 0) > refused || service.process.exitCode !== null);
        expect((await injection.stop()).length).toBeGreaterThan(0);
      }
      await load.reach(load.acknowledged + 300);
    }, service);

    const hasEnded = endings.some((ending) => ending !== 'over');
    expect(hasEnded ? await service.process.exited : service.process.exitCode).toBe(hasEnded ? 1 : null);
    expect(load.answers.get(500)).toBeGreaterThan(0);
    report(
      3,
      `no room: ${load.acknowledged} acknowledged, 0 lost, ${load.answers.get(500)} answered 500, ` +
        `${hasEnded ? 'ended with 1' : 'went on'}`,
    );
    await service.stop('SIGKILL');
    await verify(database, load);
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  'when writes are cut short the service ends, and has all that it acknowledged',
  async () => {
    const random = seeded(seed);
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
      using database = temporaryDatabase();
      const load = new Load(random, 'unknown');
      await using service = await startService(database.settings);
      const limit = Math.max(...filesOf(database.path).map(sizeOf)) + random.below(2_000_000);
      run('prlimit', `--fsize=${limit}`, `--pid=${service.process.pid}`); // the kernel writes only up to it

      const ended = endOf(service);
      await load.during(() => ended, service);

      expect(await ended).toBeGreaterThan(0);
      expect(service.process.exitCode).toBe(1);
      await verify(database, load);
      acknowledged += load.acknowledged;
    }
    report(3, `writes cut short: ${rounds} rounds, ${acknowledged} acknowledged, 0 lost`);
  },
  rounds * 20_000,
);
