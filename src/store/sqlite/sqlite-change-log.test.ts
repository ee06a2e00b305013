import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note } from '../../core/note.ts';
import { createNoteChange } from '../note-change.ts';
import { ChangeLog } from './sqlite-change-log.ts';

const toChange = (note: Note) => createNoteChange(note, undefined);

const titlesSince = (log: ChangeLog, cursor: string) =>
  log.getChangesSince(cursor).changes?.map(({ json = '' }) => (JSON.parse(json) as Note).title);

test('a cursor of another process, of the future, mistyped or from before an unknown change is refused', () => {
  const log = new ChangeLog();
  const before = log.cursor;
  log.appendChanges([toChange(createPortableNote(1))]);
  const now = log.cursor;

  for (const cursor of ['', new ChangeLog().cursor, `${now}0`, `${now}x`, `${now}.5`])
    expect(log.getChangesSince(cursor).changes).toBeUndefined();
  log.invalidateAllCursors();
  for (const cursor of [before, now]) expect(log.getChangesSince(cursor).changes).toBeUndefined();
  expect(titlesSince(log, log.cursor)).toEqual([]);
});

test.each<[string, (log: ChangeLog) => void]>([
  ['a change', (log) => log.appendChanges([toChange(createPortableNote(1))])],
  ['an unknown change', (log) => log.invalidateAllCursors()],
])('%s wakes all that wait, and none that wait for the next one', async (_, change) => {
  const log = new ChangeLog();
  const woken: string[] = [];
  const wait = (name: string) => void log.waitForPossibleChanges(log.cursor).then(() => woken.push(name));
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
