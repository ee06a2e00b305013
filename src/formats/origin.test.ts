import { expect, test } from 'bun:test';
import { joinNoteBatchesWithOrigins, tryCreateOriginKey } from './origin.ts';

test('an empty name, or one that is too long, has no key', () => {
  expect(tryCreateOriginKey('chatgpt', 'x')).toBe('chatgpt:x');
  expect(tryCreateOriginKey('file', '/'.repeat(500))).toBeUndefined();
  expect(tryCreateOriginKey('claude', '')).toBeUndefined();
});

test('notes are joined with their origins, and origins of other notes are skipped', async () => {
  async function* batches<Value>(...all: Value[][]) {
    yield* all;
  }
  const origin = (id: number) => ({ id, key: `k${id}`, taken: 't' });

  const joined = await Array.fromAsync(
    joinNoteBatchesWithOrigins(
      batches([{ id: 2 }, { id: 3 }], [], [{ id: 7 }]),
      batches([origin(1), origin(3)], [origin(5), origin(7)]),
    ),
  );

  const kept = (id: number) => ({ id, origin: { key: `k${id}`, taken: 't' } });
  expect(joined.flat()).toEqual([{ id: 2 }, kept(3), kept(7)]);
});
