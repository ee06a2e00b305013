/** System calls on the files of the database fail while 64 clients write. */
import { describe, expect, test } from 'bun:test';
import { waitsForMs } from '../support/eventually.ts';
import { WriteLoad } from '../support/http/load.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { type Fault, findObstacleToInjection, injectFault } from '../support/system/strace.ts';
import { createTemporaryDatabase, listLogPaths, readIntegrityCheck, type TemporaryDatabase } from './database.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const reason = findObstacleToInjection();
if (reason !== undefined) printAndRecordSkippedFault(3, reason);

const rounds = pickByScale(4, 1);
const syncs = 'fsync,fdatasync';
const writes = 'pwrite64,pwritev,pwritev2,write,writev,ftruncate,fallocate';
const ofLog = 'a single sync of the log fails';
const listDatabaseFiles = (database: string) => [database, ...listLogPaths(database)];

/** Fails from a random one of the first `count` calls on. */
const eioWithin = (count: number, random: Random) => `error=EIO:when=${1 + random.below(count)}+`;

/** Checks that all acknowledged writes are there and the database is intact. */
async function verify(database: TemporaryDatabase, load: WriteLoad): Promise<void> {
  await using restarted = await startService(database.settings);
  await load.assertListAndAdoptIt(restarted);
  expect(readIntegrityCheck(database.path)).toBe('ok');
  expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual([]);
}

/**
 * Resolves to the time of its exit, in ms since 1970, or to -1 if it keeps running. SQLite syncs the database only when
 * it has copied the whole log, which is then 64 MiB long.
 */
const awaitEndTimeOrMinusOne = ({ process }: Service) =>
  Promise.race([process.exited.then(() => Date.now()), Bun.sleep(waitsForMs).then(() => -1)]);

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
    (database, random) => ({ calls: writes, effect: eioWithin(2_000, random), files: listDatabaseFiles(database) }),
  ],
])('when %s', (name, faultOf) => {
  test(
    'the service ends within 1 s, with another code than 0, and has all that it acknowledged',
    async () => {
      const random = createSeededRandom(seed);
      let slowest = 0;
      let acknowledged = 0;
      for (let round = 0; round < rounds; round++) {
        using database = createTemporaryDatabase();
        const load = new WriteLoad(random, 'unknown');
        await using service = await startService(database.settings);
        await using injection = await injectFault(service.process.pid, faultOf(database.path, random));

        const ended = awaitEndTimeOrMinusOne(service);
        await load.writeDuring(() => ended, service);
        const [first = Number.NaN] = await injection.stop();
        const ms = (await ended) - first;

        expect(service.process.exitCode).toBe(1);
        expect(ms).toBeLessThan(1_000);
        if (name === ofLog) expect([...load.refusals]).toContain('unknown');
        await verify(database, load);
        slowest = Math.max(slowest, ms);
        acknowledged += load.acknowledged;
      }
      reportFigures(
        3,
        `${name}: ${rounds} rounds, ${acknowledged} acknowledged, 0 lost, ended after ${slowest.toFixed(0)} ms at most`,
      );
    },
    longRunMs,
  );
});
