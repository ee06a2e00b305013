/** A backup by another program while clients write, as documented for operators. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { integrityOf, settingsOf, sizeOf, temporaryDatabase } from './database.ts';
import { maxP99, p99 } from './load/latency.ts';
import { report } from './report.ts';

const stored = scaled(20_000, 4_000);
const rounds = scaled(5, 1);

/** The maximal delay until other programs see acknowledged writes. */
const lateMs = 200;

/** Runs a program of this folder to its end. */
async function runProgram(name: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, name), ...args], { stderr: 'inherit' });
  expect(await child.exited).toBe(0);
}

/** Probes a service from another process until `over`, which returns the response times in ms. */
function startProbe(url: string): { over(): Promise<number[]> } {
  const program = join(import.meta.dir, 'load/probe-program.ts');
  const child = Bun.spawn([process.execPath, program, url], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  return {
    async over() {
      await child.stdin.end();
      return z.array(z.number()).parse(await child.stdout.json());
    },
  };
}

test('a backup that is made while clients write has all that was acknowledged 0.2 s before, and does not hold up the service', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const load = new Load(seeded(seed), 'unknown', { clients: 8 });
  await load.during(() => load.reach(stored), service);
  const latencies: number[] = [];

  for (let round = 0; round < rounds; round++) {
    const copy = `${database.path}.backup-${round}`;
    let begun = 0;
    await load.during(async () => {
      const probe = startProbe(`${service.url}/healthz`);
      await load.reach(load.acknowledged + 100);
      begun = performance.now();
      await Bun.sleep(lateMs);
      await runProgram('backup-program.ts', database.path, copy);
      latencies.push(...(await probe.over()));
    }, service);

    expect(integrityOf(copy)).toBe('ok');
    await using restored = await startService(settingsOf(copy));
    const contradictions = await load.contradictions(restored, begun);
    expect(contradictions.slice(0, 10)).toEqual([]);
  }

  const max = Math.max(...latencies);
  report(
    11,
    `${rounds} backups of ${(sizeOf(database.path) / 2 ** 20).toFixed(0)} MB: all restored, integrity ok; ` +
      `probe p99 ${p99(latencies).toFixed(1)} ms, most ${max.toFixed(1)} ms of ${latencies.length}`,
  );
  expect(p99(latencies)).toBeLessThanOrEqual(maxP99(50));
  await load.verify(service);
}, 60_000);

test('other programs that open and close the database while clients write do not disturb the service', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const load = new Load(seeded(seed), 'unknown', { clients: 8 });

  const endings = await load.during(() => runProgram('open-program.ts', database.path), service);

  expect(new Set(endings)).toEqual(new Set(['over']));
  await load.verify(service);
  expect(integrityOf(database.path)).toBe('ok');
});
