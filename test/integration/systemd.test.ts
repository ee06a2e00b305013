/** The unit of deploy/notes.service, as far as systemd can check it without running it. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/service.ts';

const root = join(import.meta.dir, '..', '..');

test.skipIf(!Bun.which('systemd-analyze'))('the unit has only keys and values that systemd knows', async () => {
  using folder = createTemporaryFolder();
  const unit = join(folder.path, 'notes.service');
  const text = await Bun.file(join(root, 'deploy', 'notes.service')).text();
  writeFileSync(unit, text.replaceAll('/usr/local/bin/notes', '/bin/true')); // which may not be installed here

  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', unit]);

  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' });
});

test('starts that fail one after the other reach the limit of the unit', async () => {
  const text = await Bun.file(join(root, 'deploy', 'notes.service')).text();
  const getSeconds = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, 'm').exec(text)?.[1]);

  const secondsOfAStart = 10; // of a slow machine with a large database

  const untilTheLimit = getSeconds('StartLimitBurst') * (getSeconds('RestartSec') + secondsOfAStart);
  expect(untilTheLimit).toBeLessThan(getSeconds('StartLimitIntervalSec'));
});
