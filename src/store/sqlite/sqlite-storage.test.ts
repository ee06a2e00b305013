/** What is on disk, what is shown and what is answered, in which order. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { startOtherProgram } from '../../../test/faults/start-other-program.ts';
import { mockAdvanceableClock } from '../../../test/support/clock.ts';
import { isEventuallyTrue } from '../../../test/support/eventually.ts';
import { copyWithoutId, createDraft, createPortableNote } from '../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { parseNotesOfList } from '../../../test/support/stores/json-list.ts';
import { readLogRestartCount } from '../../../test/support/stores/log-restarts.ts';
import { openFile } from '../../../test/support/stores/open-file.ts';
import { collectEarlierVersions, getErrorCodeOrNoError, listOutcomes } from '../../../test/support/stores/stores.ts';
import type { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { NoteEngine } from '../../core/store.ts';
import { openSqlite, type SqliteOptions } from '../open-sqlite.ts';
import * as storeMessage from '../store-messages.ts';
import { countLogPages } from './checkpoint-scheduler.ts';
import { DurableTransactions } from './durable-transactions.ts';
import { SqliteWorkerClient } from './sqlite-worker-client.ts';

/** A store in a file, and what it says when it is lost. */
async function open(options: Partial<SqliteOptions> = {}) {
  await using opened = new AsyncDisposableStack();
  const path = join(opened.use(createTemporaryFolder()).path, 'notes.db');
  const lost: unknown[] = [];
  const store = opened.use(await openSqlite({ path, onLost: (error) => lost.push(error), ...options }));
  const resources = opened.move();
  return { path, store, lost, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

let disk: { readonly begin: () => void; readonly ended: Promise<void> } | undefined;
const realSync = DurableTransactions.prototype.syncCommitsIfDeferred;
const sync = spyOn(DurableTransactions.prototype, 'syncCommitsIfDeferred').mockImplementation(async function (
  this: DurableTransactions,
) {
  disk?.begin();
  await disk?.ended;
  await realSync.call(this);
});
afterAll(() => sync.mockRestore());

/** From now on, a sync of the log ends when the disk is let go, or fails. */
function holdDisk() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: letGo, reject: fail } = Promise.withResolvers<void>();
  ended.catch(() => {});
  disk = { begin, ended };
  const dispose = () => {
    letGo();
    disk = undefined;
  };
  return { begun, letGo, fail, [Symbol.dispose]: dispose };
}

const titles = (notes: readonly Note[]) => notes.map(({ title }) => title);
const listed = async (store: NoteEngine) => titles(await parseNotesOfList(await store.listJson({})));

/** What the feed reports since a cursor: titles, or `reset`. */
async function reported(store: NoteEngine, cursor: string) {
  const changes = await store.feed?.readChangesAfter(cursor);
  return changes === undefined ? 'reset' : titles(changes.notes.map((json) => JSON.parse(json)));
}

const readFeedCursor = async (store: NoteEngine) => (await store.feed?.readCursor()) ?? '';

/** Commits of other programs are visible after at most this many ms. */
const noticedMs = 10;

describe('until a commit is on disk', () => {
  test('nothing is answered that shows it, but cached lists as they were', async () => {
    await using opened = await open();
    const { store } = opened;
    await store.create(createDraft({ title: 'old' }));
    await listed(store);
    const cursor = await readFeedCursor(store);
    using disk = holdDisk();
    const answered: string[] = [];

    const update = store.update(1, { title: 'new' });
    await disk.begun;
    const answers = {
      update,
      note: store.get(1),
      'a list not cached': Promise.resolve(store.listJson({ archived: false })).then(parseNotesOfList),
      notes: store.list(),
      history: collectEarlierVersions(store, 1),
      newest: store.readLastChangedNotesAndTotal({}, 9),
      heads: store.readLastChangedHeadsAndTotal?.({}),
      labels: store.labels(),
      pins: store.readPins(),
      origins: store.readOriginsPage(0),
      'last id': store.readHighestAssignedId(),
      'next write': store.create(createDraft({ title: 'next' })),
    };
    const all = Object.entries(answers).map(([name, answer]) => answer?.then(() => answered.push(name)));
    await Bun.sleep(50);

    expect(answered).toEqual([]);
    expect(await listed(store)).toEqual(['old']);
    expect(await reported(store, cursor)).toEqual([]);
    disk.letGo();
    await Promise.all(all);
    expect([await answers['a list not cached'], [await answers.note]].map(titles)).toEqual([['new'], ['new']]);
    expect(titles(await answers.history)).toEqual(['old']);
    expect(await listed(store)).toEqual(['new', 'next']);
    expect(await reported(store, cursor)).toEqual(['new', 'next']);
  });

  test('on a disk that hangs, who waits 5 s gets an error, and the service goes on when the disk does', async () => {
    await using opened = await open();
    const { store, lost } = opened;
    using clock = mockAdvanceableClock();
    using disk = holdDisk();
    const catchCodeAndOutcome = (answer: Promise<unknown>) =>
      answer.then(String, ({ code, outcome }: NoteError) => `${code}, ${outcome}`);
    const write = catchCodeAndOutcome(store.create(createDraft({ title: 'slow' })));
    await disk.begun;
    const answers = [
      write,
      catchCodeAndOutcome(store.get(1)),
      catchCodeAndOutcome(store.create(createDraft())),
      catchCodeAndOutcome(store.assertReadableAndWritable()),
    ];

    clock.ms = 5_500;

    const [unknown, none] = ['unavailable, unknown', 'unavailable, none'];
    expect(await Promise.all(answers)).toEqual([unknown, none, 'busy, none', none]);
    disk.letGo();
    expect(await isEventuallyTrue(async () => (await getErrorCodeOrNoError(store.get(1))) === 'no error')).toBe(true);
    expect([await listed(store), lost]).toEqual([['slow'], []]);
  });
});

describe('the store is given up, once, and acknowledges nothing more', () => {
  test('when a sync fails', async () => {
    await using opened = await open();
    const { store, lost } = opened;
    await store.create(createDraft());
    await listed(store);
    using disk = holdDisk();
    const write = store.create(createDraft()).catch(({ code, outcome }: NoteError) => [code, outcome]);
    await disk.begun;
    const [read, next] = [getErrorCodeOrNoError(store.get(1)), getErrorCodeOrNoError(store.create(createDraft()))];

    disk.fail(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' }));

    expect(await write).toEqual(['unavailable', 'unknown']);
    for (const code of [read, next, getErrorCodeOrNoError(store.create(createDraft()))])
      expect(await code).toBe('unavailable');
    expect(() => store.listJson({})).toThrow(storeMessage.storeStopping);
    expect(lost.map(String)).toEqual(['Error: EIO: i/o error, fdatasync']);
  });

  const replace = (path: string) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  };

  describe.each([[''], ['-wal'], ['-shm'], ['.lock']])('when notes.db%s', (suffix) => {
    test.each([
      ['deleted', rmSync],
      ['replaced', replace],
    ])('was %s', async (_, change) => {
      await using opened = await open();
      const { path, store, lost } = opened;
      await store.create(createDraft());
      change(path + suffix);

      for (const code of [
        getErrorCodeOrNoError(store.assertReadableAndWritable()),
        getErrorCodeOrNoError(store.create(createDraft())),
        getErrorCodeOrNoError(store.get(1)),
      ])
        expect(await code).toBe('unavailable');

      expect(lost).toHaveLength(1);
      expect(String(lost[0])).toContain(`${path}${suffix} was deleted or replaced while the service ran`);
    });
  });

  test('within about a second, though nobody asks for anything', async () => {
    await using opened = await open();
    let seconds = 0; // timers of one process are late together
    const timer = setInterval(() => seconds++, 1_000);

    rmSync(opened.path);

    expect(await isEventuallyTrue(() => opened.lost.length > 0)).toBe(true);
    clearInterval(timer);
    expect(seconds).toBeLessThanOrEqual(2);
  });
});

describe('a commit of another program', () => {
  test('is in every list within 10 ms, under another revision, and resets the feed', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.create(createDraft({ title: 'ours' }));
    await using command = await openFile(path);
    for (const theirs of ['one', 'two']) {
      const before = await store.listJson({});
      const cursor = await readFeedCursor(store);
      const changed = store.feed?.waitForPossibleChanges(cursor);

      await command.create(createDraft({ title: theirs }));
      await Bun.sleep(noticedMs);

      const after = await store.listJson({}, [before.revision]);
      expect(titles(await parseNotesOfList(after)).at(-1)).toBe(theirs);
      expect((await store.listJson({}, [after.revision])).kind).toBe('unchanged');
      await changed;
      expect(await reported(store, cursor)).toBe('reset');
    }
  });

  test('is shown, although a write of ours to the same note came before it and is on disk only after it', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.create(createDraft({ title: 'old' }));
    using other = new Database(path);
    using disk = holdDisk();

    const ours = store.update(1, { title: 'ours' });
    await disk.begun;
    other.run("UPDATE notes SET title = 'theirs'");
    const pending = listed(store);
    disk.letGo();
    await ours;

    expect([await pending, await listed(store)]).toEqual([['theirs'], ['theirs']]);
  });

  test('is shown beside a write of ours, and after a merge without changes', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.merge([createPortableNote(1)]);
    await listed(store);
    using other = new Database(path);

    const ours = store.create(createDraft({ title: 'ours' }));
    other.run("UPDATE notes SET title = 'theirs'");
    await ours;
    await Bun.sleep(noticedMs);
    expect(await listed(store)).toEqual(['theirs', 'ours']);

    await store.merge([createPortableNote(2, { createdAt: '2021-01-01T00:00:00.000Z' })]);
    other.run("UPDATE notes SET title = 'again' WHERE id = 1");
    await Bun.sleep(noticedMs);
    expect(await listed(store)).toEqual(['again', 'ours']);
  });

  test('that is not over holds up writes and merges, but no read', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.create(createDraft({ title: 'first' }));
    using other = new Database(path);
    other.run('BEGIN IMMEDIATE');

    const writes = Promise.all([store.create(createDraft({ title: 'second' })), store.merge([createPortableNote(7)])]);
    await Bun.sleep(30);
    expect([await listed(store), (await store.get(1)).title]).toEqual([['first'], 'first']);
    other.run('COMMIT');

    expect(await writes).toMatchObject([{ title: 'second' }, [{ outcome: 'added', id: 7 }]]);
  });
});

/** Copies the files that a process killed now would leave. */
function filesOfKilled(path: string): string {
  const copy = `${path}.${crypto.randomUUID()}`;
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

const readNotesFromFile = async (path: string) => {
  await using store = await openSqlite({ path });
  return store.list();
};

describe('a merge of many notes', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => createPortableNote(n + 1));

  test('gives way to others, who see all of it or nothing, as does a start after a crash', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.merge([createPortableNote(20_000)]);
    await listed(store);
    const lengths = new Set<number>();
    const crashed: string[] = [];
    let isSyncing = false;
    let answers = 0;
    using disk = holdDisk();
    void disk.begun.then(() => {
      isSyncing = true;
    });

    const merged = store.merge(many);
    while (!isSyncing) {
      lengths.add((await listed(store)).length);
      if (answers++ % 4 === 0) crashed.push(filesOfKilled(path));
      await setImmediate();
    }
    lengths.add((await listed(store)).length);
    disk.letGo();

    expect(new Set(listOutcomes(await merged))).toEqual(new Set(['added']));
    expect(answers).toBeGreaterThan(1); // how many depends on the machine: slices are of 10 ms
    expect(lengths).toEqual(new Set([1]));
    for (const copy of crashed) lengths.add((await readNotesFromFile(copy)).length);
    lengths.delete(many.length + 1);
    expect([...lengths]).toEqual([1]);
    expect(await readNotesFromFile(filesOfKilled(path))).toEqual(await store.list());
  });

  test('as a dry run changes nothing, beside creates that it loses none of', async () => {
    await using opened = await open();
    const { path, store } = opened;
    const cursor = await readFeedCursor(store);

    const [created, outcomes] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => store.create(createDraft()))),
      store.merge(many, { dryRun: true }),
    ]);

    expect(listOutcomes(outcomes).filter((outcome) => outcome === 'added').length).toBeGreaterThan(many.length - 100);
    expect(await store.list()).toEqual(created);
    expect(await readNotesFromFile(filesOfKilled(path))).toEqual(created);
    expect(await reported(store, cursor)).toHaveLength(10);
  });

  test('is reported note by note, also those that got their ids here, and those that were changed', async () => {
    await using opened = await open();
    const { store } = opened;
    const isNew = (title: string) => copyWithoutId(createPortableNote(1, { title }));
    await store.merge([createPortableNote(1), createPortableNote(2)]);
    const cursor = await readFeedCursor(store);

    await store.merge([
      isNew('new'),
      createPortableNote(1, { title: 'later', updatedAt: '2021-01-01T00:00:00.000Z' }),
      createPortableNote(2),
      createPortableNote(7, { title: 'added' }),
      isNew('another'),
    ]);

    expect(await reported(store, cursor)).toEqual(['later', 'added', 'new', 'another']);
  });
});

test('a list that is being read when the store is closed fails, and does not look complete', async () => {
  await using opened = await open();
  const { path, store } = opened;
  for (const content of ['x', 'y']) await store.create(createDraft({ content: content.repeat(200_000) }));
  const batches = store.scan()[Symbol.asyncIterator]();
  await batches.next();

  await store[Symbol.asyncDispose]();

  await expect(Promise.resolve(batches.next())).rejects.toMatchObject({ code: 'busy' });
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test('every answered write is in the files, whatever came before it', async () => {
  await using opened = await open();
  const { path, store } = opened;
  const steps = [
    () => Promise.all([1, 2, 3].map(() => store.create(createDraft()))),
    () => Promise.all([store.create(createDraft()), store.merge([createPortableNote(9)])]),
    () => store.update(9, { title: 'changed' }),
    () => store.setArchived(1, true),
  ];
  for (const step of steps) {
    await step();
    expect(await readNotesFromFile(filesOfKilled(path))).toEqual(await store.list());
  }
});

const { runWorkerCommitWithoutForgettingChanges } = DurableTransactions.prototype;

/** Runs `work` when the worker has restarted the log, before the store knows whether others have committed. */
const spyOnLogRestarted = (work: () => void) =>
  spyOn(DurableTransactions.prototype, 'runWorkerCommitWithoutForgettingChanges').mockImplementation(function (
    this: DurableTransactions,
    commit,
    isOnlyCommit,
  ) {
    return runWorkerCommitWithoutForgettingChanges.call(this, () => commit().then(work), isOnlyCommit);
  });

describe('when the log is restarted', () => {
  const content = 'x'.repeat(4_000_000);
  const long = Array.from({ length: 20 }, (_, n) => createPortableNote(n + 101, { content, archived: true }));
  const current = async (store: NoteEngine) =>
    titles(await parseNotesOfList(await store.listJson({ archived: false })));

  test('lists and the feed stay as they are, and the next write does not restart it again', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.create(createDraft({ title: 'old', category: 'css' }));
    const first = readLogRestartCount(path);
    await store.merge(long);
    const { revision } = await store.listJson({ category: 'css' });
    const cursor = await readFeedCursor(store);

    expect(await isEventuallyTrue(async () => readLogRestartCount(path) > first)).toBe(true);
    await store.assertReadableAndWritable(); // after what is under way

    expect(await store.listJson({ category: 'css' }, [revision])).toEqual({ kind: 'unchanged', revision });
    expect(await reported(store, cursor)).toEqual([]);
    await store.create(createDraft({ title: 'new' }));
    expect(await reported(store, cursor)).toEqual(['new']);
    expect(readLogRestartCount(path)).toBe(first + 1);
  });

  test('writes go on while the database file is synced before it', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.create(createDraft());
    const first = readLogRestartCount(path);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    using _spy = spyOn(DurableTransactions.prototype, 'syncDatabaseFile').mockImplementation(async () => {
      begin();
      await ended;
    });
    await store.merge(long);
    await begun;

    const { title } = await store.create(createDraft({ title: 'meanwhile' }));

    expect(title).toBe('meanwhile');
    expect(readLogRestartCount(path)).toBe(first);
    end();
    expect(await isEventuallyTrue(async () => readLogRestartCount(path) > first)).toBe(true);
  });

  test.each([
    ['as it was, if nobody else has', [], 'old', []],
    ['with what another program has committed', ["UPDATE notes SET title = 'theirs' WHERE id = 1"], 'theirs', 'reset'],
  ])('a list that is asked for before the store knows who has committed is %s', async (_, commits, title, changes) => {
    await using opened = await open();
    const { path, store } = opened;
    await store.merge([createPortableNote(1, { title: 'old' })]);
    await current(store);
    using other = new Database(path);
    const asked = Promise.withResolvers<[listed: string[], cursor: string]>();
    using _spy = spyOnLogRestarted(() => {
      for (const commit of commits) other.run(commit);
      asked.resolve(Promise.all([current(store), readFeedCursor(store)]));
    });

    await store.merge(long);

    const [listed, cursor] = await asked.promise;
    expect(listed).toEqual([title]);
    expect(await reported(store, cursor)).toEqual(changes);
  });

  test('scans wait, so that none holds up what writes and lists wait for', async () => {
    await using opened = await open();
    const { store } = opened;
    using ask = spyOn(SqliteWorkerClient.prototype, 'request');
    const scanned = Promise.withResolvers<unknown>();
    using _spy = spyOnLogRestarted(() => scanned.resolve(store.readLastChangedNotesAndTotal({ archived: false }, 1)));

    await store.merge(long);
    await scanned.promise;

    const jobs = ask.mock.calls.map(([name]) => name);
    expect(jobs.slice(jobs.indexOf('commitLogRestart'))).toEqual([
      'commitLogRestart',
      'readDataVersion',
      'readLastChangedNotesAndTotal',
    ]);
  });

  test('a commit of another program meanwhile is noticed', async () => {
    await using opened = await open();
    const { path, store } = opened;
    await store.merge([createPortableNote(1, { title: 'old' })]);
    await using other = startOtherProgram(path);
    await current(store);
    const first = readLogRestartCount(path);
    await store.merge(long);

    let theirs = 0;
    for (; readLogRestartCount(path) === first; theirs++) {
      await other.run(`UPDATE notes SET title = 'theirs ${theirs}', updated_at = updated_at + 1 WHERE id = 1`);
      await Bun.sleep(noticedMs);
      expect((await current(store))[0]).toBe(`theirs ${theirs}`);
    }
    await store.assertReadableAndWritable();
    expect((await current(store))[0]).toBe(`theirs ${theirs - 1}`);
  });
});

test('the log stays short, however much is written', async () => {
  await using opened = await open();
  const { path, store } = opened;
  using other = new Database(path);
  let longest = 0;
  const isLogCopied = async () => {
    await store.create(createDraft()); // pages are not counted at each commit
    const { log, checkpointed } = countLogPages(other);
    return log - checkpointed < 2_500; // 10 MiB; a checkpoint is due at 8
  };

  for (let n = 0; n < 40; n++) {
    await store.create(createDraft({ content: 'x'.repeat(4_000_000) }));
    longest = Math.max(longest, statSync(`${path}-wal`).size);
    expect(await isEventuallyTrue(isLogCopied)).toBe(true); // a disk may be slower than the writer
  }

  expect(longest).toBeLessThan(96 * 2 ** 20);
  const isCopied = async () => {
    await store.create(createDraft()); // a commit begins the next checkpoint once the one before has ended
    return (await store.readStats()).databaseBytes > 128 * 2 ** 20;
  };
  expect(await isEventuallyTrue(isCopied)).toBe(true);
});
