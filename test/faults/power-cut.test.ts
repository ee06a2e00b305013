/**
 * Power cuts: the image of the service's disk is copied while the service is frozen. It contains what was synced, but
 * not what the kernel has in memory. A control shows that losses are detected: the same service with fake syncs must
 * lose acknowledged notes.
 */
import { afterAll, expect, test } from 'bun:test';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { obstacleToImages, unmountAll } from '../support/system/disk.ts';
import { inject, obstacleToInjection } from '../support/system/strace.ts';
import { integrityOf, settingsOf } from './database.ts';
import { FragileDisk } from './power.ts';
import { report, reportSkipped } from './report.ts';

const rounds = scaled(8, 2);
const minWrites = scaled(2_500, 400);
const reason = obstacleToImages();
const controlReason = reason ?? obstacleToInjection();
if (reason !== undefined) reportSkipped(2, reason);
else if (controlReason !== undefined) reportSkipped(2, `the control: ${controlReason}`);
afterAll(unmountAll);

/** Lets the clients write until the power is cut, and restarts the service on the remaining state. */
async function surviveCut(disk: FragileDisk, service: Service, load: Load): Promise<Service> {
  await load.until(() => disk.cutPower(service.process), service, minWrites);
  await service.process.exited;
  disk.restorePower();
  return startService(settingsOf(disk.database));
}

/** The notes lost by a power cut: all, if the file cannot be served any more. */
async function lossesAfterCut(disk: FragileDisk, service: Service, load: Load): Promise<string[]> {
  try {
    await using restarted = await surviveCut(disk, service, load);
    return await load.contradictions(restarted);
  } catch (refusal) {
    return [`every note was acknowledged and is lost: ${refusal}`];
  }
}

let controlFigures = `no control: ${controlReason}`;

test.skipIf(controlReason !== undefined)(
  'a service whose syncs are never made loses what it acknowledged when the power is cut',
  async () => {
    using disk = new FragileDisk();
    const load = new Load(seeded(seed), 'unknown');
    await using service = await startService(settingsOf(disk.database));
    await using _ = await inject(service.process.pid, { calls: 'fsync,fdatasync', effect: 'retval=0' });

    const losses = await lossesAfterCut(disk, service, load);

    controlFigures = `without syncs: ${load.acknowledged} acknowledged, ${losses.length} notes lost or in an old state`;
    expect(losses.length).toBeGreaterThan(0);
    expect(losses.filter((loss) => !/was acknowledged and is lost|neither the last/.test(loss))).toEqual([]);
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  `after ${rounds} power cuts under load, the service has every write that it acknowledged`,
  async () => {
    using disk = new FragileDisk();
    const load = new Load(seeded(seed), 'unknown');

    for (let round = 0; round < rounds; round++) {
      await using service = await startService(settingsOf(disk.database));
      await using restarted = await surviveCut(disk, service, load);
      await load.verify(restarted);
      expect(integrityOf(disk.database)).toBe('ok');
    }

    expect([...load.answers.keys()]).toEqual([200]);
    report(2, `${rounds} cuts, ${load.acknowledged} acknowledged, 0 lost; ${controlFigures}`);
  },
  30_000 + rounds * 10_000,
);
