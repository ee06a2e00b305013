import { expect, test } from 'bun:test';
import { shownBranch, type TreeNode } from './transcript.ts';

/** A node of "id parent time child,child"; "-" for nothing. */
function nodeOf(line: string): TreeNode {
  const [id = '', parent = '', time = '', children = ''] = line.split(' ').map((part) => (part === '-' ? '' : part));
  return { id, parent, time: time || undefined, children: children.split(',').filter(Boolean), message: { id } };
}

const shown = (current: string, ...lines: readonly string[]) =>
  shownBranch(lines.map(nodeOf), current)
    .map(({ id }) => id)
    .join(' ');

test('the ancestors of the current node and what follows it are shown, other branches are not', () => {
  const tree = ['a -', 'b a', 'c b', 'b2 a', 'c2 b2'];

  expect(shown('c', ...tree)).toBe('a b c');
  expect(shown('c2', ...tree)).toBe('a b2 c2');
  expect(shown('b', ...tree)).toBe('a b c');
});

test('without a current node that is there, the branch of the newest message is shown', () => {
  expect(shown('', 'a - 1', 'b a 4', 'b2 a 3')).toBe('a b');
  expect(shown('nowhere', 'a - 1', 'b a 2', 'b2 a 3')).toBe('a b2');
  expect(shown('', 'c b', 'b a', 'a -')).toBe('a b c');
});

test('a missing parent is bridged by the node that lists it', () => {
  expect(shown('d', 'a - - p', 'c p', 'd c')).toBe('a c d');
  expect(shown('d', 'a - - p', 'c p', 'c2 p', 'd c')).toBe('a c d');
});

test('a node without parent belongs to the node that lists it', () => {
  expect(shown('c', 'a - - b', 'b - - c', 'c -')).toBe('a b c');
});

test('what is cut off is ordered by time, and without one by the order in the file', () => {
  expect(shown('d', 'd c 4', 'c p 3', 'a - 1', 'b a 2')).toBe('a b c d');
  expect(shown('b', 'd c 4', 'c p 3', 'a - 1', 'b a 2')).toBe('a b c d');
  expect(shown('d', 'a -', 'b a', 'c p', 'd c')).toBe('a b c d');
  expect(shown('e', 'a - 1', 'b p', 'e q 0')).toBe('e a b');
});

test('several answers to a prompt that is missing are branches of one tree', () => {
  expect(shown('b2', 'a - 1', 'b p 2', 'b2 p 3')).toBe('a b2');
});

test('circles end, and each node of them is shown once', () => {
  expect(shown('b', 'a b', 'b a')).toBe('a b');
  expect(shown('x', 'a a')).toBe('a');
  expect(shown('', 'a c 1', 'b a 2', 'c b 3', 'd c 4')).toBe('a b c d');
});

test('fifty thousand nodes, each cut off, are read in order', () => {
  const lines = Array.from({ length: 50_000 }, (_, at) => `n${at} p${at}`);

  expect(shown('n7', ...lines)).toBe(lines.map((line) => line.split(' ')[0]).join(' '));
});
