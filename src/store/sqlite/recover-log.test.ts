/** What becomes of a log that an earlier program left. That it survives a power cut: test/faults/power-cut.test.ts. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { startOtherProgram } from '../../../test/faults/start-other-program.ts';
import { createDraft } from '../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { openFile } from '../../../test/support/stores/open-file.ts';
import { isLinux } from '../../../test/support/system/process-facts.ts';
import { openSqlite } from '../open-sqlite.ts';

/** Creates the files that a killed service with one note leaves. */
async function createLeftFiles(folder: string): Promise<string> {
  const [path, left] = [join(folder, 'notes.db'), join(folder, 'left.db')];
  await using store = await openSqlite({ path });
  await store.create(createDraft());
  for (const suffix of ['', '-wal']) {
    copyFileSync(path + suffix, left + suffix);
    utimesSync(left + suffix, 0, 0);
  }
  return left;
}

const isWritten = (file: string) => statSync(file).mtimeMs > 0;

function countNotesWithoutLog(path: string): number {
  using db = new Database(`file:${path}?immutable=1`, 0x01 | 0x40); // SQLITE_OPEN_READONLY, SQLITE_OPEN_URI
  return db.prepare<{ notes: number }, []>('SELECT count(*) AS notes FROM notes').all()[0]?.notes ?? 0;
}

test('a service has the notes of the log in the database, and an empty log, before it serves', async () => {
  using folder = createTemporaryFolder();
  const path = await createLeftFiles(folder.path);
  await using store = await openSqlite({ path });

  expect([countNotesWithoutLog(path), (await store.list()).length]).toEqual([1, 1]);
  expect(statSync(`${path}-wal`).size).toBeLessThan(10_000); // it has a trial
});

test('a command writes the log again if it is alone with the file, and not beside a service', async () => {
  using folder = createTemporaryFolder();
  const path = await createLeftFiles(folder.path);
  {
    await using alone = await openFile(path);
    expect(await alone.list()).toHaveLength(1);
    expect(isWritten(`${path}-wal`)).toBe(true);
  }
  await using service = await openSqlite({ path });
  await service.create(createDraft());
  utimesSync(`${path}-wal`, 0, 0);
  const { size } = statSync(`${path}-wal`);

  await using command = await openFile(path);

  expect(await command.list()).toHaveLength(2);
  expect(isWritten(`${path}-wal`)).toBe(false);
  expect(statSync(`${path}-wal`).size).toBe(size);
});

test.skipIf(!isLinux)(
  'a service waits for a program that reads from the log, then names it and does not start',
  async () => {
    using folder = createTemporaryFolder();
    const path = await createLeftFiles(folder.path);
    await using reader = startOtherProgram(path);
    await reader.run('BEGIN');
    await reader.run('SELECT * FROM notes');
    const began = performance.now();

    const refused = await openSqlite({ path }).catch((error) => error);

    expect(performance.now() - began).toBeGreaterThan(4_000);
    expect(refused).toMatchObject({ code: 'busy' });
    expect(refused.message).toMatch(RegExp(`\\S+ \\(process ${reader.pid}\\) reads from it`));
    expect(await (await openFile(path)).list()).toHaveLength(1);
  },
  20_000,
);
