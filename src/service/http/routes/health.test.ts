import { expect, test } from 'bun:test';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/sqlite/open.ts';

test('one check at a time answers all that ask meanwhile', async () => {
  const store = await openSqlite({ path: ':memory:' });
  const check = store.check.bind(store);
  const gate = Promise.withResolvers<void>();
  let checks = 0;
  store.check = async () => {
    checks++;
    await gate.promise;
    await check();
  };
  await using app = callApp(store);
  const ready = async () => (await app.request('/readyz')).status;

  const asked = Array.from({ length: 20 }, ready);
  const atOnce = checks;
  gate.resolve();
  const statuses = await Promise.all(asked);

  expect(atOnce).toBe(1);
  expect(statuses).toEqual(Array(20).fill(200));
  await store[Symbol.asyncDispose]();
  expect(await ready()).toBe(503);
});
