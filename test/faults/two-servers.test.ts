/** Only one service may use a file or a port: a second one exits with a message, and can start after the first ends. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { type StartFailure, startAndExpectFailure } from '../support/start-failure.ts';
import { createTemporaryDatabase } from './database.ts';
import { reportFigures } from './report.ts';

const rounds = pickByScale(10, 2);
const deadlineMs = 5_000; // a busy machine takes 3 s

test(
  'a second service on one file is refused at once, and starts at once when the first was killed',
  async () => {
    using database = createTemporaryDatabase();
    const load = new WriteLoad(createSeededRandom(seed), 'unknown');
    const slowest = { refusal: 0, start: 0 };
    for (let round = 0; round < rounds; round++) {
      await using first = await startService(database.settings);
      const refusals: StartFailure[] = [];
      await load.writeDuring(async () => refusals.push(await startAndExpectFailure(database.settings)), first);
      await load.writeUntilStrike(() => first.process.kill('SIGKILL'), first);
      await first.process.exited;

      const killed = performance.now();
      await using second = await startService(database.settings);
      slowest.start = Math.max(slowest.start, performance.now() - killed);
      slowest.refusal = Math.max(slowest.refusal, ...refusals.map(({ ms }) => ms));

      const message = `notes: ${database.path} is in use by a notes service. Stop it first\n`;
      expect(refusals).toMatchObject([{ code: 1, stdout: '', stderr: message }]);
      await load.assertListAndAdoptIt(second);
    }
    reportFigures(
      8,
      `one file: ${rounds} rounds, refused within ${slowest.refusal.toFixed(0)} ms, ` +
        `started within ${slowest.start.toFixed(0)} ms after kill -9`,
    );
    expect(slowest.refusal).toBeLessThan(deadlineMs);
    expect(slowest.start).toBeLessThan(deadlineMs);
  },
  longRunMs,
);
