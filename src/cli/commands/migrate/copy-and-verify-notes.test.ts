import { expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft, createPortableNote } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { collectEarlierVersions } from '../../../../test/support/stores/stores.ts';
import { createRecordedIo, RecordedOutput } from '../../../../test/support/terminal/recorded-io.ts';
import type { NoteEngine } from '../../../core/store.ts';
import { noLabels } from '../../../core/value-labels.ts';
import { createNoteFingerprint, streamOriginBatches } from '../../../formats/origin.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { copyAndVerifyNotes } from './copy-and-verify-notes.ts';
import { migrateAndPrintResult } from './migrate-and-print-result.ts';
import { readMigrationRoute } from './migrate-route.ts';

const open = () => openSqlite({ path: ':memory:' });

/** Moves, and collects the advice for a failure. */
async function moved(source: NoteEngine, target: NoteEngine, signal = new AbortController().signal) {
  const advice: string[] = [];
  const line = new ProgressLine(new RecordedOutput());
  const sum = await copyAndVerifyNotes(source, target, { signal, line, onStage: (next) => advice.push(next) }).catch(
    String,
  );
  return { sum, advice };
}

/** Notes 1 to 3 with a history, an origin, a label and pins. */
async function fill(store: NoteEngine): Promise<void> {
  const note = createPortableNote(1);
  await store.merge([
    { ...note, origin: { key: 'a', taken: await createNoteFingerprint(note) } },
    createPortableNote(2),
    createPortableNote(3),
  ]);
  await store.update(2, { title: 'New', content: '漢👍\0' });
  await store.setArchived(3, true);
  await store.setLabels({ ...noLabels, first: 'Work', css: 'Styles' });
  await store.replacePins([3, 1]);
}

test('notes, versions, origins, labels and pins are the same afterwards, and the next id too', async () => {
  await using source = await open();
  await using target = await open();
  await fill(source);
  await source.merge([], { lastId: 20 });

  const { sum } = await moved(source, target);

  expect(sum).toEqual({ notes: 3, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(await target.list()).toEqual(await source.list());
  expect(await collectEarlierVersions(target, 2)).toEqual(await collectEarlierVersions(source, 2));
  expect(await Array.fromAsync(streamOriginBatches(target))).toEqual(
    await Array.fromAsync(streamOriginBatches(source)),
  );
  expect(await target.labels()).toEqual(await source.labels());
  expect((await target.readPins()).ids).toEqual([3, 1]);
  expect((await target.create(createDraft())).id).toBe((await source.create(createDraft())).id);
});

test('a move into what an interrupted one has left goes on', async () => {
  await using source = await open();
  await using target = await open();
  await fill(source);
  await target.merge((await source.list()).slice(0, 2));

  const { sum } = await moved(source, target);

  expect(sum).toMatchObject({ notes: 3 });
  expect(await target.list()).toEqual(await source.list());
});

test('a target with other notes is refused, and stays as it is', async () => {
  await using source = await open();
  await using target = await open();
  await fill(source);
  const other = await target.create(createDraft({ title: 'Other' }));

  const { sum, advice } = await moved(source, target);

  expect(sum).toContain(`it holds other notes, note ${other.id} for one`);
  expect(advice).toEqual(['Choose an empty one']);
  expect(await target.list()).toEqual([other]);
});

test('an aborted move stores nothing', async () => {
  await using source = await open();
  await using target = await open();
  await fill(source);

  const { sum, advice } = await moved(source, target, AbortSignal.abort(new Error('InterruptedError')));

  expect([sum, advice]).toEqual(['Error: InterruptedError', []]);
  expect(await target.list()).toEqual([]);
});

const postgres = 'postgres://ann:secret@db.example/notes';

test('addresses come from flags, else from the environment, as a path or an address', () => {
  const route = readMigrationRoute({ MIGRATE_FROM: '/ignored.db', MIGRATE_TO: postgres }, { from: '/a/notes.db' });

  expect(route.from).toEqual({ engine: 'sqlite', path: '/a/notes.db' });
  expect(route.to).toMatchObject({ engine: 'postgres', hostname: 'db.example', database: 'notes', username: 'ann' });
});

test.each([
  ['no source', {}, { to: '/b.db' }, 'Name a store by --from or MIGRATE_FROM'],
  ['no target', { MIGRATE_FROM: 'sqlite:/a.db', MIGRATE_TO: '' }, {}, 'Name a store by --to or MIGRATE_TO'],
  ['a store in memory', {}, { from: 'sqlite::memory:', to: '/b.db' }, '--from must not be sqlite::memory:'],
  ['one database', {}, { from: postgres, to: 'postgres://bob@db.example:5432/notes' }, '--from and --to name the same'],
])('%s is refused', (_, env, flags, sentence) => {
  expect(() => readMigrationRoute(env, flags)).toThrow(sentence);
});

test('a file is the same under its other names', () => {
  using folder = createTemporaryFolder();
  const [from, to] = [join(folder.path, 'a.db'), join(folder.path, 'b.db')];
  writeFileSync(from, '');
  symlinkSync(from, to);

  for (const other of [to, `sqlite:${from}`])
    expect(() => readMigrationRoute({}, { from, to: other })).toThrow('--from and --to name the same store');
});

test.each([
  ['from', '--from or MIGRATE_FROM'],
  ['to', '--to or MIGRATE_TO'],
] as const)('the advice on a wrong file names the flag for it: --%s', async (name, flag) => {
  using folder = createTemporaryFolder();
  await (await openSqlite({ path: join(folder.path, 'a.db') }))[Symbol.asyncDispose]();
  const addresses = { from: join(folder.path, 'a.db'), to: join(folder.path, 'b.db') };
  const route = readMigrationRoute({}, { ...addresses, [name]: folder.path });

  const moving = migrateAndPrintResult(route, { databaseTimeoutMs: 1_000 }, { io: createRecordedIo(), json: false });

  await expect(moving).rejects.toThrow(`it is a folder. Name another file by ${flag}`);
});

test('a malformed address is not repeated, since any part of it may be the password', () => {
  const refused = () => readMigrationRoute({ MIGRATE_TO: 'postgres://ann:sec ret@/' }, { from: '/a.db' });

  expect(refused).toThrow(/^MIGRATE_TO must be /);
  expect(refused).not.toThrow(/sec|ret@/);
});
