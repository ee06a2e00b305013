import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { portableNote } from '../../../test/support/service.ts';
import type { Note } from '../../core/note.ts';
import { createNoteChange } from '../note-change.ts';
import { ChangeLog } from './change-log.ts';

const toChange = (note: Note) => createNoteChange(note, undefined);

const titlesSince = (log: ChangeLog, cursor: string) =>
  log.readChangesSince(cursor).changes?.map(({ json = '' }) => (JSON.parse(json) as Note).title);

test('a cursor of another process, of the future, mistyped or from before an unknown change is refused', () => {
  const log = new ChangeLog();
  const before = log.cursor;
  log.appendChanges([toChange(portableNote(1))]);
  const now = log.cursor;

  for (const cursor of ['', new ChangeLog().cursor, `${now}0`, `${now}x`, `${now}.5`])
    expect(log.readChangesSince(cursor).changes).toBeUndefined();
  log.forgetAllChanges();
  for (const cursor of [before, now]) expect(log.readChangesSince(cursor).changes).toBeUndefined();
  expect(titlesSince(log, log.cursor)).toEqual([]);
});

test.each<[string, (log: ChangeLog) => void]>([
  ['a change', (log) => log.appendChanges([toChange(portableNote(1))])],
  ['an unknown change', (log) => log.forgetAllChanges()],
])('%s wakes all that wait, and none that wait for the next one', async (_, change) => {
  const log = new ChangeLog();
  const woken: string[] = [];
  const wait = (name: string) => void log.waitForChanges(log.cursor).then(() => woken.push(name));
  wait('one');
  wait('two');

  log.appendChanges([]);
  await setImmediate();
  expect(woken).toEqual([]);
  change(log);
  wait('next');
  await setImmediate();

  expect(woken).toEqual(['one', 'two']);
});
