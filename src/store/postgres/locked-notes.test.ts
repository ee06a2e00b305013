import { expect, test } from 'bun:test';
import { CommitQueue } from './commit-queue.ts';
import { LockedNotes } from './locked-notes.ts';

test('a change that has already waited waits only for the rest of its time', async () => {
  const endless = { commit: () => new Promise<never>(() => {}) };
  const notes = new LockedNotes(() => new CommitQueue(endless, () => {}, { waitMs: 60_000 }), 1);

  const outcome = notes.wait({ kind: 'change', id: 1, change: { archived: true } }, performance.now() - 60_001);

  await expect(outcome).rejects.toMatchObject({ code: 'unavailable' });
});
