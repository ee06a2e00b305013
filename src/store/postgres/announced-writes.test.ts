import { expect, test } from 'bun:test';
import { createDraft } from '../../../test/support/sample-notes.ts';
import type { Write } from '../decide-write.ts';
import { groupByShard } from './announced-writes.ts';

test('writes are grouped by shard, and new notes are apart from changed ones', () => {
  const change = (id: number): Write => ({ kind: 'change', id, change: { title: 'changed' } });
  const create = (): Write => ({ kind: 'create', draft: createDraft() });
  const [first, second, third] = [create(), create(), create()];
  const writes = [change(1), first, change(2), second, change(3), third, change(1)];
  const shards = new Map([1, 2, 3, 11, 12, 13].map((id) => [id, id % 2 === 0 ? 'even' : 'odd']));

  const groups = groupByShard(writes, {
    newIds: new Map([
      [first, 11],
      [second, 12],
      [third, 13],
    ]),
    shards,
    now: 0,
  });

  expect(groups).toEqual([[change(1), change(3), change(1)], [first, third], [change(2)], [second]]);
});
