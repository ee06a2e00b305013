import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { streamSyncTriggers } from './sync-rounds.ts';

/** Long enough that only a change can begin the next round in a test. */
const everyMs = 60_000;

test('the first round begins at once, also if nothing can be watched', async () => {
  const ending = new AbortController();
  const all = streamSyncTriggers(['/nonexistent'], everyMs, ending.signal);

  expect(await all.next()).toEqual({ done: false, value: undefined });
  ending.abort();
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('nothing begins once it is aborted', async () => {
  expect(await streamSyncTriggers(['/nonexistent'], everyMs, AbortSignal.abort()).next()).toMatchObject({ done: true });
});

test('a change in a folder below begins the next round, after a rest', async () => {
  using folder = createTemporaryFolder();
  mkdirSync(join(folder.path, 'below'));
  const ending = new AbortController();
  const all = streamSyncTriggers([folder.path], 1_000, ending.signal); // without a change, the next would begin after 10 s
  await all.next();
  const started = performance.now();

  const next = all.next();
  writeFileSync(join(folder.path, 'below', 'a.md'), 'text');

  expect((await next).done).toBe(false);
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  ending.abort();
  expect((await all.next()).done).toBe(true);
});

test('without events, as from a network file system, rounds still follow', async () => {
  const ending = new AbortController();
  const all = streamSyncTriggers(['/nonexistent'], 1, ending.signal);

  for (let round = 0; round < 2; round++) expect((await all.next()).done).toBe(false);

  ending.abort();
  expect((await all.next()).done).toBe(true);
});
