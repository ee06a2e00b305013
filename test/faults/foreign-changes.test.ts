/** Other programs change the schema and the rows of a running service through SQLite. */

import { expect, test } from 'bun:test';
import * as message from '../../src/core/message.ts';
import * as storeMessage from '../../src/store/message.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { eventually } from '../support/eventually.ts';
import { draft, jsonBody, noteIn, type Service, startService } from '../support/service.ts';
import { temporaryDatabase } from './database.ts';
import { type OtherProgram, startOtherProgram } from './other.ts';

interface Setting extends AsyncDisposable {
  readonly service: Service;
  readonly other: OtherProgram;
  readonly url: string;
}

/** A service with ten notes, and another program on its database. */
async function begin(): Promise<Setting> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(temporaryDatabase());
  const service = opened.use(await startService(database.settings));
  const other = opened.use(startOtherProgram(database.path));
  const url = `${service.url}/api/notes`;
  for (let n = 0; n < 10; n++) await fetch(url, jsonBody(draft()));
  const resources = opened.move();
  return { service, other, url, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

test.each([
  ['ALTER TABLE notes RENAME TO elsewhere', 'ALTER TABLE elsewhere RENAME TO notes', message.storeNotRead],
  ['PRAGMA user_version = 99', `PRAGMA user_version = ${migrations.length}`, storeMessage.schemaChanged(99)],
  [
    "CREATE TRIGGER no_more BEFORE INSERT ON notes BEGIN SELECT RAISE(ABORT, 'no more'); END",
    'DROP TRIGGER no_more',
    storeMessage.storeRefusesWrites,
  ],
  ['BEGIN IMMEDIATE', 'ROLLBACK', storeMessage.storeRefusesWrites],
])(
  'after %s the service says within 2.5 s that it is not ready and why, and as soon again that it is when that is mended',
  async (harm, mend, reason) => {
    await using setting = await begin();
    const untilReady = async (status: number) => {
      const started = performance.now();
      const isSo = async () => (await fetch(`${setting.service.url}/readyz`)).status === status;
      expect(await eventually(isSo)).toBe(true);
      return performance.now() - started;
    };
    await untilReady(200);

    await setting.other.run(harm);
    expect(await untilReady(503)).toBeLessThan(2_500);
    expect(await (await fetch(`${setting.service.url}/readyz`)).json()).toEqual({ error: reason });
    const said = () => setting.service.log.filter((line) => line.includes('Not ready')).length;
    expect(await eventually(() => said() > 0)).toBe(true);
    expect(said()).toBe(1);
    await setting.other.run(mend);
    expect(await untilReady(200)).toBeLessThan(2_500);
    expect((await noteIn(fetch(setting.url, jsonBody(draft())))).id).toBe(11);
  },
);

test('after a note with an id that no number can hold, no create answers a wrong one', async () => {
  await using setting = await begin();
  const insert = (id: string) =>
    setting.other.run(`INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
    VALUES (${id}, 'Theirs', 'x', 'css', 'first', 'info', 1, 1)`);
  await insert('9007199254740989');
  expect((await noteIn(fetch(setting.url, jsonBody(draft())))).id).toBe(9007199254740990);
  await insert('9007199254740993');

  const refused = await Promise.all(Array.from({ length: 50 }, () => fetch(setting.url, jsonBody(draft()))));

  const outcomes = refused.map(({ status, headers }) => [status, headers.get('notes-outcome')]);
  expect(outcomes).toEqual(Array(50).fill([500, 'none']));
  expect(await refused[0]?.json()).toEqual({
    error: 'The store has no more ids. Nothing was changed. Look for a note whose id is above 2^53',
  });
  await setting.other.run('DELETE FROM notes WHERE id > 9007199254740991');
  await setting.other.run("UPDATE sqlite_sequence SET seq = 10 WHERE name = 'notes'");
  await setting.other.run('DELETE FROM notes WHERE id > 10');
  expect((await noteIn(fetch(setting.url, jsonBody(draft())))).id).toBe(11);
});
