/** A service whose disk has little space: it says so, and works on. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { isEventuallyTrue } from '../support/eventually.ts';
import { runNotesCommand, startService } from '../support/service.ts';
import { findObstacleToMounting, mountMemoryDisk, unmountAllDisks } from '../support/system/disk.ts';

const reason = findObstacleToMounting();
if (reason !== undefined) console.warn(`Disks with little space are not tried: ${reason}`);
afterAll(unmountAllDisks);

test.skipIf(reason !== undefined)(
  'little space is in log, metrics and doctor, and the service stays ready',
  async () => {
    using disk = mountMemoryDisk(200);
    const env = { DATABASE_URL: `sqlite:${join(disk.path, 'notes.db')}` };
    await using service = await startService(env);

    const isWarned = await isEventuallyTrue(() =>
      service.log.join().includes('backups and migrations copy the database'),
    );
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const ready = await fetch(`${service.url}/readyz`);
    const doctor = await runNotesCommand(['doctor'], { ...env, PORT: '0' });

    expect(isWarned).toBe(true);
    const freeBytes = Number(/^notes_database_free_bytes (\d+)$/m.exec(metrics)?.[1]);
    expect(freeBytes / 2 ** 20).toBeWithin(190, 200);
    expect(ready.status).toBe(200);
    expect(doctor.stdout).toMatch(/^warning space +19\d\.\d MiB are free\. Free some space: .* should be free$/m);
    expect(doctor.code).toBe(0);
  },
);
