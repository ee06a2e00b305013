import { describe, expect, test } from 'bun:test';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { Note } from '../../domain/note.ts';
import type { Outcome, Write } from '../engine.ts';
import { CommitQueue } from './commit-queue.ts';

const write = (id: number): Write => ({ kind: 'change', id, change: {} });
const noteOf = (write: Write): Note => ({
  id: write.kind === 'change' ? write.id : 0,
  title: 'a',
  content: 'a',
  category: 'css',
  group: 'first',
  color: 'info',
  archived: false,
  createdAt: '',
  updatedAt: '',
});

/** An engine that records the sizes of its commits. */
function recorder(commit: (writes: readonly Write[]) => readonly Outcome[] | Promise<readonly Outcome[]>) {
  const sizes: number[] = [];
  return {
    sizes,
    async commit(writes: readonly Write[]) {
      sizes.push(writes.length);
      return commit(writes);
    },
  };
}

const submitted = (queue: CommitQueue, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => queue.submit(write(n + 1))));

const summary = (results: readonly PromiseSettledResult<Note>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value.id : result.reason.message));

describe('CommitQueue', () => {
  test('commits the writes of one turn of the event loop together, each answered by its own outcome', async () => {
    const engine = recorder((writes) => writes.map(noteOf));
    const queue = new CommitQueue(engine);

    const results = await submitted(queue, 5);

    expect(summary(results)).toEqual([1, 2, 3, 4, 5]);
    expect(engine.sizes).toEqual([5]);
  });

  test('a write that has timed out is rejected at once, and its later rejection is handled', async () => {
    const [gate, later] = [Promise.withResolvers<void>(), Promise.withResolvers<Note>()];
    const engine = {
      async commit() {
        await gate.promise;
        return [later.promise];
      },
    };
    const queue = new CommitQueue(engine, () => {}, { waitMs: 1_000 });

    const outcome = queue.submit(write(1), performance.now() - 2_000);
    await expect(outcome).rejects.toMatchObject({ code: 'unavailable' });
    gate.resolve();
    await Bun.sleep(1);
    later.reject(new NoteError('busy', message.noteLocked));

    await queue.close();
  });

  test('collects what arrives during a commit into the next one', async () => {
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const engine = recorder(async (writes) => {
      started.resolve();
      await gate.promise;
      return writes.map(noteOf);
    });
    const queue = new CommitQueue(engine);
    const first = queue.submit(write(1));
    await started.promise;
    const others = submitted(queue, 3);

    gate.resolve();

    await first;
    await others;
    expect(engine.sizes).toEqual([1, 3]);
  });

  test('a bad write fails alone', async () => {
    const bad = new NoteError('not_found', 'no such note');
    const queue = new CommitQueue(
      recorder((writes) => writes.map((one) => (noteOf(one).id === 2 ? bad : noteOf(one)))),
    );

    expect(summary(await submitted(queue, 3))).toEqual([1, 'no such note', 3]);
  });

  test('fails the whole batch when the commit fails, and goes on with the next one', async () => {
    let fails = true;
    const queue = new CommitQueue(
      recorder((writes) => {
        if (fails) throw new NoteError('unavailable', 'disk');
        return writes.map(noteOf);
      }),
    );

    const failed = await submitted(queue, 2);
    fails = false;

    expect(summary(failed)).toEqual(['disk', 'disk']);
    expect(summary(await submitted(queue, 2))).toEqual([1, 2]);
  });

  test('bounds a batch, and submits again what an engine left over', async () => {
    const engine = recorder((writes) => writes.slice(0, 2).map(noteOf));
    const queue = new CommitQueue(engine, () => {}, { batch: 3 });

    expect(summary(await submitted(queue, 7))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(engine.sizes).toEqual([3, 3, 3, 1]);
  });

  test('refuses only writes beyond its limit', async () => {
    const queue = new CommitQueue(
      recorder((writes) => writes.map(noteOf)),
      () => {},
      { queued: 2 },
    );

    const results = await submitted(queue, 4);

    expect(summary(results).slice(0, 2)).toEqual([1, 2]);
    expect(results.slice(2).map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      'busy',
      'busy',
    ]);
  });

  test('tries again while the engine is busy', async () => {
    let tries = 0;
    const queue = new CommitQueue(
      recorder((writes) => {
        if (++tries < 3) throw new NoteError('busy', 'locked');
        return writes.map(noteOf);
      }),
    );

    expect(summary(await submitted(queue, 2))).toEqual([1, 2]);
    expect(tries).toBe(3);
  });

  test('retries a write that was passed over while others go on, and gives up in the end', async () => {
    const held = new NoteError('busy', 'held');
    let offers = 0;
    const engine = recorder((writes) =>
      writes.map((one) => {
        const { id } = noteOf(one);
        return id === 3 || (id === 2 && ++offers < 3) ? held : noteOf(one);
      }),
    );
    const queue = new CommitQueue(engine, () => {}, { waitMs: 150 });

    const results = submitted(queue, 3);
    expect((await queue.submit(write(1))).id).toBe(1);
    const closed = queue.close();

    expect(summary(await results)).toEqual([1, 2, message.noteLocked]);
    await closed;
    expect(engine.sizes.slice(0, 3)).toEqual([4, 2, 2]);
  });

  test('writes that are passed over do not delay others', async () => {
    const held = new NoteError('busy', 'held');
    const offered: number[] = [];
    const engine = recorder(([first]) => {
      const { id } = first ? noteOf(first) : { id: 0 };
      offered.push(id);
      Bun.sleepSync(8);
      return [id < 6 ? held : noteOf(write(id))];
    });
    const queue = new CommitQueue(engine, () => {}, { waitMs: 200 });

    const results = await submitted(queue, 6);

    expect(summary(results)).toEqual([...Array(5).fill(message.noteLocked), 6]);
    expect(offered.slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('rejects writes that waited too long for a busy engine', async () => {
    const engine = recorder(() => {
      throw new NoteError('busy', 'locked');
    });
    const queue = new CommitQueue(engine, () => {}, { waitMs: 50 });

    expect(summary(await submitted(queue, 2))).toEqual(['locked', 'locked']);
  });

  test('reports writes of a hanging commit as uncertain, and queued ones as not made', async () => {
    const gate = Promise.withResolvers<readonly Outcome[]>();
    const engine = recorder(() => gate.promise);
    const queue = new CommitQueue(engine, () => {}, { waitMs: 50, batch: 1 });

    const results = await submitted(queue, 2);
    gate.resolve([noteOf(write(1))]);

    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      'unavailable',
      'busy',
    ]);
    expect(engine.sizes).toEqual([1]);
  });

  test('answers accepted writes before it closes, and refuses others', async () => {
    const queue = new CommitQueue(recorder((writes) => writes.map(noteOf)));
    const accepted = submitted(queue, 2);

    const closed = queue.close();
    const refused = submitted(queue, 1);

    await closed;
    expect(summary(await accepted)).toEqual([1, 2]);
    expect(summary(await refused)).toEqual(['The service is stopping']);
  });

  test('reports the size of each commit', async () => {
    const observed: number[] = [];
    const queue = new CommitQueue(
      recorder((writes) => writes.map(noteOf)),
      (writes) => observed.push(writes),
    );

    await submitted(queue, 3);
    await submitted(queue, 1);

    expect(observed).toEqual([3, 1]);
  });

  test('runs as many commits at once as the limit says, and collects the next batch meanwhile', async () => {
    const gates: PromiseWithResolvers<void>[] = [];
    const engine = recorder(async (writes) => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return writes.map(noteOf);
    });
    const queue = new CommitQueue(engine, () => {}, { batch: 2, concurrent: 2 });

    const results = submitted(queue, 5);
    while (gates.length < 2) await new Promise(setImmediate);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(engine.sizes).toEqual([2, 2]);
    for (let done = 0; done < 3; done++) {
      while (gates[done] === undefined) await new Promise(setImmediate);
      gates[done]?.resolve();
    }

    expect(summary(await results)).toEqual([1, 2, 3, 4, 5]);
    expect(engine.sizes).toEqual([2, 2, 1]);
  });
});
