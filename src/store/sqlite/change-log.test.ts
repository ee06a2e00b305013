import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { portableNote } from '../../../test/support/service.ts';
import type { Note } from '../../core/note.ts';
import { createNoteChange } from '../note-change.ts';
import { ChangeLog } from './change-log.ts';

const toChange = (note: Note) => createNoteChange(note, undefined);

const titlesSince = (log: ChangeLog, moment: string) =>
  log.readChanges(moment).changes?.map(({ json = '' }) => (JSON.parse(json) as Note).title);

test('a moment of another process, of the future, mistyped or from before an unknown change is refused', () => {
  const log = new ChangeLog();
  const before = log.moment;
  log.add([toChange(portableNote(1))]);
  const now = log.moment;

  for (const moment of ['', new ChangeLog().moment, `${now}0`, `${now}x`, `${now}.5`])
    expect(log.readChanges(moment).changes).toBeUndefined();
  log.invalidate();
  for (const moment of [before, now]) expect(log.readChanges(moment).changes).toBeUndefined();
  expect(titlesSince(log, log.moment)).toEqual([]);
});

test.each<[string, (log: ChangeLog) => void]>([
  ['a change', (log) => log.add([toChange(portableNote(1))])],
  ['an unknown change', (log) => log.invalidate()],
])('%s wakes all that wait, and none that wait for the next one', async (_, change) => {
  const log = new ChangeLog();
  const woken: string[] = [];
  const wait = (name: string) => void log.waitForChanges(log.moment).then(() => woken.push(name));
  wait('one');
  wait('two');

  log.add([]);
  await setImmediate();
  expect(woken).toEqual([]);
  change(log);
  wait('next');
  await setImmediate();

  expect(woken).toEqual(['one', 'two']);
});
