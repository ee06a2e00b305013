import { expect, test } from 'bun:test';
import { RecordedOutput } from '../../../test/support/terminal/recorded-io.ts';
import { ProgressLine } from './progress-line.ts';

/** Shows each progress at its time in ms, and returns what is drawn. */
function drawn(
  steps: readonly (readonly [at: number, progress: Parameters<ProgressLine['update']>[0]])[],
  isTTY = true,
) {
  const screen = new RecordedOutput(isTTY);
  let now = 0;
  const line = new ProgressLine(screen, () => now);
  for (const [at, progress] of steps) {
    now = at;
    line.update(progress);
  }
  return screen.text.split('\r').slice(1);
}

const end = '\x1b[K';
const importing = (notes: number, part?: number) => ({ step: 'Importing', notes, part });

test.each([
  [2000, importing(1, 0.25), 'Importing: 1 note, 25 %, 1 notes/s, 6 s left'],
  [2000, importing(5000), 'Importing: 5,000 notes, 2,500 notes/s'],
  [2000, { step: 'Copying', bytes: 3 * 2 ** 20, part: 1 }, 'Copying: 3.0 MB, 100 %, 2 MB/s, 0 s left'],
  [2000, { step: 'Reading', part: 0.999 }, 'Reading, 99 %, 1 s left'],
  [2000, importing(0, 0), 'Importing: 0 notes, 0 %, 0 notes/s'],
  [1000, importing(10, 1 / 122), 'Importing: 10 notes, 0 %, 10 notes/s, 3 min left'],
])('after %d ms of %p', (ms, progress, line) => {
  expect(drawn([[ms, progress]])).toEqual([line + end]);
});

test('the line is drawn again after 100 ms', () => {
  expect(drawn([1000, 1099, 1100, 1199].map((ms) => [ms, importing(ms)] as const))).toEqual([
    `Importing: 1,000 notes, 1,000 notes/s${end}`,
    `Importing: 1,100 notes, 1,000 notes/s${end}`,
  ]);
});

test('the time of a step begins with the last progress of the step before', () => {
  const [, second] = drawn([
    [5000, importing(100)],
    [6000, { step: 'Checking', notes: 100, part: 1 }],
  ]);

  expect(second).toBe(`Checking: 100 notes, 100 %, 100 notes/s, 0 s left${end}`);
});

test('without a terminal nothing is drawn, nor erased', () => {
  expect(drawn([[2000, importing(1)]], false)).toEqual([]);
});
