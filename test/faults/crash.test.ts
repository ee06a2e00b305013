/** The service is killed at random moments while 64 clients write. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { Versions } from '../support/http/history.ts';
import { WriteLoad } from '../support/http/load.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { createTemporaryDatabase, readIntegrityCheck } from './database.ts';
import { reportFigures } from './report.ts';

/** Contents of earlier versions by note id, oldest first. */
function versionsAt(path: string): Versions {
  using db = new Database(path, { readonly: true });
  const select = 'SELECT note_id, content FROM note_versions ORDER BY note_id, updated_at';
  const rows = db.prepare<{ note_id: number; content: string }, []>(select).all();
  const grouped = Map.groupBy(rows, ({ note_id }) => note_id);
  return new Map([...grouped].map(([id, versions]) => [id, versions.map(({ content }) => content)]));
}

const rounds = pickByScale(20, 3);
/** The minimum of acknowledged writes before each kill. */
const minWrites = pickByScale(2_500, 500);

test(
  `${rounds} times killed under load, the service has every write that it acknowledged, once`,
  async () => {
    using database = createTemporaryDatabase();
    const load = new WriteLoad(createSeededRandom(seed), 'unknown');

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(database.settings);
      await load.writeUntilStrike(() => service.process.kill('SIGKILL'), service, minWrites);
      await service.process.exited;
      expect(service.process.signalCode).toBe('SIGKILL');

      await using restarted = await startService(database.settings);
      await load.assertListAndAdoptIt(restarted, versionsAt(database.path));
      expect(readIntegrityCheck(database.path)).toBe('ok');
    }

    expect([...load.answers.keys()]).toEqual([200]);
    expect(load.acknowledged).toBeGreaterThanOrEqual(rounds * minWrites);
    reportFigures(
      1,
      `${rounds} rounds, ${load.acknowledged} acknowledged, 0 lost, 0 twice, ` +
        'each version with its write and no other, integrity ok',
    );
  },
  longRunMs,
);
