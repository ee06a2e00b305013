/** The checker of the fault tests reports lost and contradicting writes. */
import { expect, test } from 'bun:test';
import type { Note } from '../../../src/core/note.ts';
import { createPortableNote } from '../sample-notes.ts';
import { type WriteAttempt, WriteHistory } from './history.ts';

const at = (ms: number) => new Date(ms).toISOString();

const note = (id: number, title: string, changes: Partial<Note> = {}): Note =>
  createPortableNote(id, { title, content: '1', createdAt: at(0), updatedAt: at(0), ...changes });

const created = note(1, 'a');
const updated = note(1, 'a', { content: '2', updatedAt: at(5) });

/** An acknowledged create and an update of the same note, whose end `end` decides. */
function history(end: (update: WriteAttempt) => void): WriteHistory {
  const history = new WriteHistory();
  history.recordWriteBegin('a', { content: '1', archived: false }).recordSuccess(created);
  end(history.recordWriteBegin('a', { content: '2', archived: false }));
  return history;
}

const acknowledged = history((update) => update.recordSuccess(updated));
const unknown = history((update) => {
  update.outcome = 'unknown';
});
const failed = history((update) => {
  update.outcome = 'failed';
});

test.each([
  ['the acknowledged state', acknowledged, [updated], []],
  ['an unknown write that happened', unknown, [updated], []],
  ['an unknown write that did not happen', unknown, [created], []],
  ['a failed write that did not happen', failed, [created], []],
  ['a lost note', acknowledged, [], ['a was acknowledged and is lost']],
  ['a lost note behind an unknown write', unknown, [], ['a was acknowledged and is lost']],
  ['a note that is there twice', acknowledged, [updated, { ...updated, id: 2 }], ['a is listed 2 times']],
  ['a note that nobody sent', acknowledged, [updated, note(2, 'b')], ['b is listed and was never sent']],
  ['a lost update', acknowledged, [created], [expect.stringContaining('neither the last acknowledged')]],
  ['a failed write that happened', failed, [updated], [expect.stringContaining('neither the last acknowledged')]],
  ['a lost time', acknowledged, [{ ...updated, updatedAt: at(4) }], ['a is older than answered']],
  ['another id', acknowledged, [{ ...updated, id: 2 }], ['a was answered with id 1 and is listed under 2']],
])('%s is judged rightly', (_, history, listed, expected) => {
  expect(history.listContradictions(listed)).toEqual(expected);
});

test('settling a list resolves unknown writes', () => {
  const history = new WriteHistory();
  history.recordWriteBegin('seen', { content: '1', archived: false }).outcome = 'unknown';
  history.recordWriteBegin('unseen', { content: '1', archived: false }).outcome = 'unknown';

  history.adoptListAsKnownState([note(1, 'seen')]);

  expect(history.listContradictions([note(1, 'seen')])).toEqual([]);
  expect(history.listContradictions([])).toEqual(['seen was acknowledged and is lost']);
  expect(history.listContradictions([note(1, 'seen'), note(2, 'unseen')])).toEqual([
    'unseen is listed although its create failed',
  ]);
});

test('a copy contains all writes acknowledged before its start, and may lack later ones', () => {
  const history = new WriteHistory();
  history.recordWriteBegin('before', { content: '1', archived: false }).recordSuccess(note(1, 'before'));
  const begun = performance.now();
  const later = history.recordWriteBegin('after', { content: '1', archived: false });
  while (performance.now() === begun); // the clock may be coarse
  later.recordSuccess(note(2, 'after'));

  expect(history.listContradictions([note(1, 'before')], begun)).toEqual([]);
  expect(history.listContradictions([note(2, 'after')], begun)).toEqual(['before was acknowledged and is lost']);
});
