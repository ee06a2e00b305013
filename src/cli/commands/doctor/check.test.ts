import { expect, test } from 'bun:test';
import { ok, schemaCheck, within } from './check.ts';

test.each([
  ['a database without one', [0, 0, 6], 'ok', /^none yet/],
  ['an older one', [4, 4, 6], 'ok', /^version 4, brought to 6 at the next start$/],
  ['the current one', [6, 6, 6], 'ok', /^version 6$/],
  ['a newer one that this program can use', [7, 6, 6], 'ok', /^version 7$/],
  ['a newer one that it cannot use', [8, 7, 6], 'fault', /newer version of Notes$/],
] as const)('the schema: %s', (_, [version, worksFrom, known], state, found) => {
  expect(schemaCheck(version, worksFrom, known)).toMatchObject({ state, found: expect.stringMatching(found) });
});

test('a check that is done in time has its findings', async () => {
  expect(await within('disk', async () => [ok('disk', '1 GiB are free')])).toEqual([ok('disk', '1 GiB are free')]);
});

test('a check that throws is a fault with the reason', async () => {
  const failing = async () => {
    throw new Error('EIO: i/o error');
  };

  expect(await within('disk', failing)).toMatchObject([{ name: 'disk', state: 'fault', found: 'EIO: i/o error' }]);
});

test('a check that hangs is a fault after its time, and is told to stop', async () => {
  const told = Promise.withResolvers<void>();
  const hanging = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => told.resolve());
    return new Promise<never>(() => {});
  };

  const found = await within('disk', hanging, 20);

  expect(found).toMatchObject([{ name: 'disk', state: 'fault', found: 'no answer within 0.02 s' }]);
  await told.promise;
});
