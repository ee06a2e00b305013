/** `notes migrate` from a shell, between real files and databases. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { categories, colors, groups, type Note, type NoteDraft } from '../../src/core/note.ts';
import { noLabels } from '../../src/core/value-labels.ts';
import { createNoteFingerprint } from '../../src/formats/origin.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { password } from '../support/postgres/server.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, program, startService } from '../support/service.ts';
import { hasPendingSignals } from '../support/system/process-facts.ts';

interface Addresses {
  readonly from: string;
  readonly to: string;
}

/** Passes the addresses through the environment, where passwords belong. */
const createEnvironment = ({ from, to }: Addresses) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  MIGRATE_FROM: from,
  MIGRATE_TO: to,
});

function start(addresses: Addresses) {
  const [stdout, stderr] = ['pipe', 'pipe'] as const;
  return Bun.spawn([...program, 'migrate'], { env: createEnvironment(addresses), stdout, stderr });
}

/** Waits for the end of the command. Fails if a password is in the output. */
async function waitForOutputAndCode(child: ReturnType<typeof start>) {
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  for (const secret of [password, encodeURIComponent(password)]) expect(stdout + stderr).not.toContain(secret);
  return { code: await child.exited, stdout, stderr };
}

const migrate = (addresses: Addresses) => waitForOutputAndCode(start(addresses));

/** A folder for the files of one test, removed at the end. */
function temporaryFiles(): Disposable & { readonly url: (name: string) => string } {
  const folder = createTemporaryFolder();
  return {
    url: (name) => `sqlite:${join(folder.path, name)}`,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const getSqlitePath = (url: string) => url.slice('sqlite:'.length);

/** Every column of every note, of its earlier versions and of its origin, the labels and the pins; texts in hex. */
function sqliteRows(url: string): unknown[] {
  using db = new Database(getSqlitePath(url), { readonly: true });
  const select = `SELECT id, hex(title) AS title, hex(content) AS content, category, "group", color, archived, created_at,
    updated_at FROM (${allStates}) ORDER BY id, updated_at`;
  return db.prepare(select).all();
}

const allStates = `SELECT id, title, content, category, "group", color, archived, created_at, updated_at FROM notes UNION ALL
  SELECT note_id, title, content, category, "group", color, archived, 0, updated_at FROM note_versions UNION ALL
  SELECT note_id, key, taken, '', '', '', archived, 0, 0 FROM note_origins JOIN notes ON notes.id = note_id UNION ALL
  SELECT 0, label, '', '', "group", '', false, 0, 0 FROM group_labels WHERE label IS NOT NULL UNION ALL
  SELECT 0, labels, '', '', '', '', false, 0, 2 FROM category_labels UNION ALL
  SELECT 0, ids, '', '', '', '', false, 0, 1 FROM pins`;

/** The same for a PostgreSQL database. */
const postgresRows = (database: TestDatabase) =>
  database.run(`SELECT id::float8 AS id, upper(encode(convert_to(title, 'UTF8'), 'hex')) AS title,
    upper(encode(convert_to(content, 'UTF8'), 'hex')) AS content, category, "group", color, archived::integer AS archived,
    created_at::float8 AS created_at, updated_at::float8 AS updated_at FROM (${allStates}) AS states ORDER BY id, updated_at`);

async function idOfNextNote(url: string): Promise<number> {
  const isSqlite = url.startsWith('sqlite:');
  await using store = isSqlite
    ? await openSqlite({ path: getSqlitePath(url) })
    : await openPostgres(createPostgresOptions(url));
  return (await store.create(createDraft())).id;
}

const awkwardTexts = [
  ' ',
  ' \r\n a \t\n',
  '👩‍👩‍👧‍👦 done',
  'e\u0301',
  '\u00e9',
  '\u202bשלום\u202c',
  '\ufeffa',
  '\u0001\u001f\u007f\u0085',
  'a\u2028b\u2029c',
  `<b>&amp;'"\\/'); DROP TABLE notes;--`,
  '\uffff\u{10ffff}\ufffd',
  '$1 $$ $notes$ \\$ \\u0024 \\x24 \\.',
  "''\\'",
  'x'.repeat(1024 * 1024),
  '🐎'.repeat(100_000),
];

/** Notes of all kinds, with gaps between their ids; the last three assigned ids belong to none. */
async function storeAwkwardNotes(url: string): Promise<void> {
  let now = 1_700_000_000_000;
  await using store = await openSqlite({ path: getSqlitePath(url), now: () => now++ });
  const lists = [categories, groups, colors] as const;
  await store.setLabels({ ...noLabels, css: 'Ünder “looks”', third: "Ünder “way” $1 \\ '" });
  const drafts = awkwardTexts.map((text): NoteDraft => createDraft({ title: text, content: text }));
  for (let n = 0; n < Math.max(...lists.map((list) => list.length)); n++) {
    const pick = <Value>(values: readonly [Value, ...Value[]]) => values[n % values.length] ?? values[0];
    drafts.push(createDraft({ category: pick(categories), group: pick(groups), color: pick(colors) }));
  }
  for (const one of drafts) {
    const { id } = await store.create(one);
    if (id % 3 === 0) await store.setArchived(id, true);
    if (id % 4 === 0) for (const title of ['Second', 'Third']) await store.update(id, { title });
  }
  for await (const some of store.scan()) {
    const withOrigin = async (note: Note) => ({
      ...note,
      origin: { key: `file:/${note.id}`, taken: await createNoteFingerprint(note) },
    });
    await store.merge(await Promise.all(some.map(withOrigin)));
  }
  await store.replacePins([6, 1, 3]);
  const last = drafts.length;
  using db = new Database(getSqlitePath(url));
  db.run('DELETE FROM notes WHERE id IN (2, 7, ?, ?, ?)', [last - 2, last - 1, last]);
}

/** Inserts `count` notes of 1 KB. */
const fill = (database: TestDatabase, count: number) =>
  database.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
    SELECT 'Note ' || n, repeat('x', 1000), 'css', 'first', 'info', n, n FROM generate_series(1, ${count}) AS n`);

/** Stores `count` notes in a file. */
async function storeNotes(url: string, count: number, content = 'x'): Promise<void> {
  await (await openSqlite({ path: getSqlitePath(url) }))[Symbol.asyncDispose]();
  using db = new Database(getSqlitePath(url));
  db.run(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
    SELECT 'Note ' || n, ?, 'css', 'first', 'info', n, n FROM numbers`,
    [count, content],
  );
}

/** A database with our schema and no notes. */
async function createStore(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await (await openPostgres(createPostgresOptions(database.url)))[Symbol.asyncDispose]();
  return database;
}

const countRows = async (database: TestDatabase) => (await postgresRows(database)).length;

describe('moves every note byte for byte, and reuses no id', () => {
  test('from SQLite to PostgreSQL and back', async () => {
    using files = temporaryFiles();
    await using database = await createEmptyDatabase();
    const [from, back] = [files.url('notes.db'), files.url('new folder/back.db')];
    await storeAwkwardNotes(from);
    const rows = sqliteRows(from);
    const lastId = awkwardTexts.length + 8;

    const there = await migrate({ from, to: database.url });
    const andBack = await migrate({ from: database.url, to: back });

    expect(there).toMatchObject({ code: 0 });
    expect(andBack).toMatchObject({ code: 0 });
    expect(there.stdout).toMatch(/^Moved 18 notes from sqlite:\S+ to postgres:\/\/\S+ \(hash [0-9a-f]{16}\)\n$/);
    expect(there.stderr).toMatch(/^(The database is Citus .*\n)?18 notes in \d+\.\d s \([\d,]+ notes\/s\)\n$/);
    expect(findHash(andBack)).toBe(findHash(there));
    expect(rows.length).toBe(18 + 10 + 18 + 1 + 1 + 1);
    expect(await postgresRows(database)).toEqual(rows);
    expect(sqliteRows(back)).toEqual(rows);
    for (const url of [from, database.url, back]) expect(await idOfNextNote(url)).toBe(lastId + 1);
  });

  test('as of one moment, while a service keeps writing to the database', async () => {
    await using source = await createStore();
    await using target = await createStore();
    await fill(source, 3_000);
    await source.run(`UPDATE notes SET content = repeat('long', 50000) WHERE id IN (2000, 2900)`);
    await using gate = await closeGate(target);

    const child = start({ from: source.url, to: target.url });
    await gate.reached();
    await source.run(`UPDATE notes SET title = 'changed' WHERE id > 2000; DELETE FROM notes WHERE id = 2500`);
    const later = await idOfNextNote(source.url);
    await gate.open();

    expect(await waitForOutputAndCode(child)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Moved 3,000 notes'),
    });
    expect(await target.run(`SELECT 1 FROM notes WHERE title = 'changed'`)).toEqual([]);
    expect(later).toBe(3_001);
  });
});

const findHash = ({ stdout }: { readonly stdout: string }) => /\(hash (\w+)\)/.exec(stdout)?.[1];

interface Gate extends AsyncDisposable {
  /** Resolves when the move waits at the gate. */
  reached(): Promise<void>;
  open(): Promise<void>;
}

/** Blocks moves into a database before the note `id`, until the gate is opened. */
async function closeGate(database: TestDatabase, id = 2): Promise<Gate> {
  await database.run(`CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
    CREATE TRIGGER gate BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.id = ${id}) EXECUTE FUNCTION wait_at_gate()`);
  const keeper = new SQL(database.url, { max: 1 });
  await keeper`SELECT pg_advisory_lock(1)`;
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return {
    async reached() {
      expect(await isEventuallyTrue(async () => (await database.run(waiting)).length > 0)).toBe(true);
    },
    open: async () => void (await keeper`SELECT pg_advisory_unlock(1)`),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}

/** Resolves once a move has written several batches to a file. */
async function midway(url: string): Promise<void> {
  const log = `${getSqlitePath(url)}-wal`;
  const isMidway = () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 4 * 2 ** 20;
  while (!isMidway()) await Bun.sleep(1);
}

const many = 20_000;

/** Number of short notes in a batch. */
const batch = 2_000;

const goesOn = (url: string) => `${shownAs(url)} holds what was moved so far: run it again to resume\n`;

/** An address as it is printed, without role and password. */
const shownAs = (url: string) => url.replace(/\/\/[^@/]*@/, '//');

describe('an interrupted move leaves a part, and the next one continues', () => {
  test('killed midway to PostgreSQL', async () => {
    using files = temporaryFiles();
    await using database = await createStore();
    const addresses = { from: files.url('notes.db'), to: database.url };
    await storeNotes(addresses.from, 5_000);
    await using gate = await closeGate(database, batch + 1);

    const child = start(addresses);
    await gate.reached();
    child.kill('SIGKILL');
    await child.exited;
    await gate.open();

    expect(await countRows(database)).toBe(batch);
    expect(await migrate(addresses)).toMatchObject({ code: 0, stdout: expect.stringContaining('Moved 5,000 notes') });
    expect(await postgresRows(database)).toEqual(sqliteRows(addresses.from));
  });

  test.each([
    ['SIGKILL', 137, ''],
    ['SIGINT', 130, 'notes: Interrupted by SIGINT. '],
  ] as const)('ended by %s midway between SQLite and SQLite', async (signal, code, said) => {
    using files = temporaryFiles();
    const addresses = { from: files.url('notes.db'), to: files.url('copy.db') };
    await storeNotes(addresses.from, many, 'x'.repeat(1_000));

    const child = start(addresses);
    await midway(addresses.to);
    child.kill(signal);

    expect(await waitForOutputAndCode(child)).toEqual({
      code,
      stdout: '',
      stderr: said && `${said}${goesOn(addresses.to)}`,
    });
    const hasLogs = ['-wal', '-shm'].map((log) => existsSync(`${getSqlitePath(addresses.to)}${log}`));
    expect(hasLogs).toEqual(Array(2).fill(signal === 'SIGKILL'));
    const moved = sqliteRows(addresses.to);
    expect(moved.length).toBeWithin(1, many);
    expect(await migrate(addresses)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Moved 20,000 notes'),
    });
    expect(sqliteRows(addresses.to)).toEqual(sqliteRows(addresses.from));
  });

  test('ended by SIGTERM on its way to PostgreSQL', async () => {
    using files = temporaryFiles();
    await using database = await createStore();
    const addresses = { from: files.url('notes.db'), to: database.url };
    await storeNotes(addresses.from, 5_000);
    await using gate = await closeGate(database);

    const child = start(addresses);
    await gate.reached();
    child.kill('SIGTERM');
    expect(await isEventuallyTrue(() => !hasPendingSignals(child))).toBe(true); // or else the batch may end first
    await gate.open();

    expect(await waitForOutputAndCode(child)).toEqual({
      code: 143,
      stdout: '',
      stderr: `notes: Interrupted by SIGTERM. ${goesOn(database.url)}`,
    });
    expect(await countRows(database)).toBe(batch);
    expect(await migrate(addresses)).toMatchObject({ code: 0 });
    expect(await postgresRows(database)).toEqual(sqliteRows(addresses.from));
  });

  test('interrupted while it waits for an unreachable database, it ends at once', async () => {
    using files = temporaryFiles();
    await storeNotes(files.url('notes.db'), 1);
    const child = start({ from: files.url('notes.db'), to: 'postgres://me:secret@127.0.0.1:1/notes' });
    const reader = child.stderr.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toStartWith(
      'Waiting for the database at postgres://127.0.0.1:1/notes: nothing answers',
    );

    child.kill('SIGINT');

    expect(await child.exited).toBe(130);
    const { value: end } = await reader.read();
    expect(new TextDecoder().decode(end)).toBe('notes: Interrupted by SIGINT. Nothing was moved\n');
  });

  test('a database that alters a note on its way in is detected', async () => {
    using files = temporaryFiles();
    await using database = await createStore();
    await storeNotes(files.url('notes.db'), 1_000);
    await database.run(`CREATE FUNCTION alter_note() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.updated_at := NEW.updated_at + 1; RETURN NEW; END';
      CREATE TRIGGER alter_note BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.id = 500) EXECUTE FUNCTION alter_note()`);

    const result = await migrate({ from: files.url('notes.db'), to: database.url });

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /it was given 1000 notes \(hash \w+\) and holds \d+ notes \(hash \w+\)\. Look for a trigger.*Choose an empty one\n$/,
    );
  });

  test('cut off midway by the database, which it reports', async () => {
    using files = temporaryFiles();
    await using database = await createStore();
    await storeNotes(files.url('notes.db'), 1_000);
    await using gate = await closeGate(database);

    const child = start({ from: files.url('notes.db'), to: database.url });
    await gate.reached();
    await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'advisory'
      AND datname = current_database()`);
    await gate.open();

    const { code, stderr } = await waitForOutputAndCode(child);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^notes: Cannot use postgres:\S+: .*\. postgres:\S+ holds what was moved so far/);
    expect(await countRows(database)).toBe(0);
  });
});

describe('refuses', () => {
  test('a target of an earlier move whose note was changed since, and leaves it unchanged', async () => {
    using files = temporaryFiles();
    await using database = await createEmptyDatabase();
    const from = files.url('notes.db');
    await storeNotes(from, 1_000);
    await migrate({ from, to: database.url });
    {
      await using store = await openPostgres(createPostgresOptions(database.url));
      await store.update(2, { title: 'Changed' });
    }
    const rows = await postgresRows(database);

    expect(await migrate({ from, to: database.url })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('it holds other notes, note 2 for one. Choose an empty one\n'),
    });
    expect(await postgresRows(database)).toEqual(rows);
  });

  test('a missing source, and creates none', async () => {
    using files = temporaryFiles();
    await using database = await createEmptyDatabase();
    const [missing, empty, to] = [files.url('missing/notes.db'), files.url('empty'), files.url('copy.db')];
    writeFileSync(getSqlitePath(empty), '');

    const results = await Promise.all([missing, empty, database.url].map((from) => migrate({ from, to })));

    expect(results.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const { stderr } of results) expect(stderr).toContain('there are no notes. Name the ');
    for (const url of [missing, to]) expect(existsSync(getSqlitePath(url))).toBe(false);
    expect(statSync(getSqlitePath(empty)).size).toBe(0);
    expect(await database.run('SELECT 1 FROM pg_class WHERE relnamespace = current_schema::regnamespace')).toEqual([]);
  });

  test('a file that a service uses, as source and as target', async () => {
    using files = temporaryFiles();
    const [used, other] = [files.url('notes.db'), files.url('other.db')];
    await storeNotes(other, 1);
    await using _service = await startService({ DATABASE_URL: used });

    for (const addresses of [
      { from: used, to: files.url('new.db') },
      { from: other, to: used },
    ]) {
      expect(await migrate(addresses)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is in use by a notes service'),
      });
    }
  });
});
