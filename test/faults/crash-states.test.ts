/**
 * Power cuts at every moment of a recorded run: opens each possible state of the files on disk and checks that it keeps
 * everything promised by then.
 */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { examine } from './crash-states/crash-states.ts';
import { FragileFiles } from './crash-states/fragile-files.ts';
import { runs, Scene, stopAndGoOn } from './crash-states/recorded-runs.ts';
import { type Operation, obstacleToRecording } from './crash-states/recording.ts';
import { report, reportSkipped } from './report.ts';

const reason = obstacleToRecording();
if (reason !== undefined) reportSkipped(29, reason);

const images = scaled(8_000, 60);

/** The differences between the files and the replayed records. */
function differences(operations: readonly Operation[], folder: string): string[] {
  const files = new FragileFiles(() => false);
  for (const operation of operations) files.apply(operation);
  const recorded = new Map([...files.present()].filter(([path]) => !path.endsWith('-shm')));
  const real = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.endsWith('-shm') && statSync(join(folder, path)).isFile(),
  );
  return [...new Set([...recorded.keys(), ...real])].filter((path) => {
    const bytes = recorded.get(path);
    return bytes === undefined || !real.includes(path) || !readFileSync(join(folder, path)).equals(bytes);
  });
}

test.skipIf(reason !== undefined).each([...runs])(
  'after a power cut at any moment of a run with %s, all that was answered by then is there',
  async (name, act) => {
    const random = seeded(seed);
    using scene = new Scene(random);

    await act(scene);

    const operations = scene.recording.operations();
    const { promised, folder } = scene.recording;
    expect(differences(operations, folder)).toEqual([]);
    const findings = await examine({ operations, promised, images, random });
    report(
      29,
      `${name}: ${operations.length - promised.length} operations, ` +
        `${findings.images} images at ${findings.moments} moments, ${findings.broken.length} broken`,
    );
    expect(findings.broken.slice(0, 5)).toEqual([]);
  },
  scaled(900_000, 60_000),
);

test.skipIf(reason !== undefined)(
  'of a run whose syncs had no effect, answered notes are missing',
  async () => {
    const random = seeded(seed);
    using scene = new Scene(random);
    await stopAndGoOn(scene);

    const operations = scene.recording.operations();
    const { promised } = scene.recording;
    const { images: seen, broken } = await examine({ operations, promised, images: 60, random, syncs: false });

    report(29, `control, without syncs: ${broken.length} promises broken in ${seen} images`);
    expect(broken.filter((breach) => breach.includes('is lost'))).not.toEqual([]);
  },
  60_000,
);
