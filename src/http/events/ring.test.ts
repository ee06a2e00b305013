import { expect, test } from 'bun:test';
import { piecesOf, Ring } from './ring.ts';

const textOf = (pieces: readonly { readonly bytes: Uint8Array }[]) =>
  Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();

/** The pieces of a ring from a position on. */
function from(ring: Ring, position: number) {
  const pieces = [];
  for (let at = position; at < ring.end; at++) pieces.push(ring.at(at) ?? { bytes: new Uint8Array(), isOpen: false });
  return pieces;
}

test('of notes written together, only the last one has the cursor after them', () => {
  const text = textOf([...piecesOf(['{"id":1}', '{"id":2}'], 'before', 'after')]);

  expect(text).toBe('id: before\nevent: note\ndata: {"id":1}\n\nid: after\nevent: note\ndata: {"id":2}\n\n');
});

test('a long event is cut into pieces of bounded size, which say where it ends', () => {
  const long = JSON.stringify({ content: '漢'.repeat(100_000) });

  const pieces = [...piecesOf([long], 'a', 'b')];

  expect(Math.max(...pieces.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(64 * 1024);
  expect(pieces.map(({ isOpen }) => isOpen)).toEqual(pieces.map((_, at) => at < pieces.length - 1));
  expect(textOf(pieces)).toBe(`id: b\nevent: note\ndata: ${long}\n\n`);
});

test('a listener resumes behind the events that led up to its cursor', () => {
  const ring = new Ring();
  for (const [before, after] of ['ab', 'bc', 'cd'])
    ring.push(piecesOf([`"${after}"`], before ?? '', after ?? ''), after ?? '');

  const position = ring.positionOf('b') ?? -1;

  expect(textOf(from(ring, position))).toBe('id: c\nevent: note\ndata: "c"\n\nid: d\nevent: note\ndata: "d"\n\n');
  expect([ring.positionOf('d'), ring.positionOf('a')]).toEqual([ring.end, undefined]);
});

test('the oldest events make room for new ones, and their cursors are unknown then', () => {
  const ring = new Ring();
  const note = JSON.stringify('x'.repeat(5 * 1024 * 1024));
  for (let n = 1; n <= 5; n++) ring.push(piecesOf([note], `${n - 1}`, `${n}`), `${n}`);

  const known = [1, 2, 3, 4, 5].map((n) => ring.positionOf(`${n}`) !== undefined);

  expect(known).toEqual([false, true, true, true, true]);
  expect(ring.has(ring.positionOf('2') ?? -1)).toBe(true);
  expect(ring.has(0)).toBe(false);
  expect(textOf(from(ring, ring.positionOf('4') ?? 0))).toBe(`id: 5\nevent: note\ndata: ${note}\n\n`);
});

test('the number of cursors is bounded, also without events', () => {
  const ring = new Ring();
  for (let n = 0; n < 10_000; n++) ring.push([], `${n}`);

  expect([ring.positionOf('0'), ring.positionOf('9999')]).toEqual([undefined, 0]);
});
