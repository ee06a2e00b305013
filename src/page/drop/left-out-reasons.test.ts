import { expect, test } from 'bun:test';
import { formatLocations, groupByReason } from './left-out-reasons.ts';

test('what is left out is grouped by reason with its count, the most frequent first', () => {
  const groups = groupByReason([
    { kind: 'bad', location: 'line 4', reason: 'Must be valid JSON' },
    { kind: 'left out', location: 'a.json', reason: 'It has no text', count: 3 },
    { kind: 'left out', location: 'b.json', reason: 'It has no text' },
    { kind: 'left out', location: 'c.txt', reason: 'Lines that are not part of it: 2 of the program' },
    { kind: 'left out', location: 'd.txt', reason: 'Lines that are not part of it: 7 of the program' },
  ]);

  expect(groups).toEqual([
    { reason: 'It has no text', count: 4, locations: ['a.json', 'b.json'] },
    { reason: 'Lines that are not part of it', count: 2, locations: ['c.txt', 'd.txt'] },
    { reason: 'Must be valid JSON', count: 1, locations: ['line 4'] },
  ]);
});

test('files of a folder that no format reads are grouped by their ending, and the first are named', () => {
  const unread = ['a.html', 'b.HTML', 'c.html', 'd.html', 'e.html', 'Makefile'];

  const groups = groupByReason([
    { kind: 'left out', location: 'vault', reason: 'Not read: a.html …', unread, count: 6 },
  ]);

  expect(groups.map((group) => [group.count, group.reason, formatLocations(group)])).toEqual([
    [5, 'No format reads it (.html)', 'a.html, b.HTML, c.html and 2 more'],
    [1, 'No format reads it (no ending)', 'Makefile'],
  ]);
});
