import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { portableNote } from '../../test/support/service.ts';
import { RecentChanges } from './recent-changes.ts';

const feedOf = () => new RecentChanges(async () => {});

const titlesAfter = (feed: RecentChanges, cursor: string) =>
  feed.changesAfter(cursor)?.notes.map((json) => (JSON.parse(json) as { title: string }).title);

test('a cursor of another process, of the future, mistyped or from before an unknown change is refused', () => {
  const feed = feedOf();
  const before = feed.cursor();
  feed.add([portableNote(1)]);
  const now = feed.cursor();

  for (const cursor of ['', feedOf().cursor(), `${now}0`, `${now}x`, `${now}.5`])
    expect(feed.changesAfter(cursor)).toBeUndefined();
  feed.invalidate();
  for (const cursor of [before, now]) expect(feed.changesAfter(cursor)).toBeUndefined();
  expect(titlesAfter(feed, feed.cursor())).toEqual([]);
});

test.each<[string, (feed: RecentChanges) => void]>([
  ['a change', (feed) => feed.add([portableNote(1)])],
  ['an unknown change', (feed) => feed.invalidate()],
])('%s wakes all that wait, and none that wait for the next one', async (_, change) => {
  const feed = feedOf();
  const woken: string[] = [];
  const wait = (name: string) => void feed.changed(feed.cursor()).then(() => woken.push(name));
  wait('one');
  wait('two');

  feed.add([]);
  await setImmediate();
  expect(woken).toEqual([]);
  change(feed);
  wait('next');
  await setImmediate();

  expect(woken).toEqual(['one', 'two']);
});
