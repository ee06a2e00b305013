import { describe, expect, test } from 'bun:test';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import { emptyReport, type ImportReport } from '../../../formats/importer.ts';
import { ImportPrinter } from './report.ts';

type Flags = ConstructorParameters<typeof ImportPrinter>[1];

/** What is printed of a report, after `before`. */
function printed(
  changes: Partial<ImportReport>,
  flags: Flags = {},
  before: (printer: ImportPrinter) => void = () => {},
) {
  const io = keptIo();
  using printer = new ImportPrinter(io, flags);
  before(printer);
  printer.printReport({ ...emptyReport(), ...changes }, 'notes.json');
  return { stdout: io.stdout.text, lines: io.stderr.text.trimEnd().split('\n') };
}

const ids = (length: number) => Array.from({ length }, (_, at) => at + 1);
const firstTwenty = ids(20).join(', ');

describe('a report', () => {
  test('has a line for each outcome that occurred, and only for those', () => {
    expect(printed({ read: 1 }).lines).toEqual(['Read 1 note from notes.json']);
    expect(printed({ read: 3000, added: 2999, unchanged: 1 }).lines).toEqual([
      'Read 3,000 notes from notes.json:',
      '  2,999 added',
      '  1 already there',
    ]);
    expect(printed({ read: 8, added: 7, updated: 1, bad: 1, leftOut: 1 }).lines).toEqual([
      'Read 10 records from notes.json:',
      '  7 added',
      '  1 updated, since the stored note was older',
      '  1 bad, named above',
      '  1 left out (--verbose names them)',
    ]);
  });

  test.each([
    [20, firstTwenty],
    [21, `${firstTwenty} and 1 more`],
  ])('names at most 20 of %d ids', (number, names) => {
    const { lines } = printed({ updated: number, updatedIds: ids(Math.min(number, 1000)) });

    expect(lines[1]).toEndWith(`updated, since the stored note was older: ${names}`);
  });

  test('of a dry run says that nothing was changed, in JSON too', () => {
    const { lines, stdout } = printed({ read: 1, added: 1 }, { dryRun: true, json: true });

    expect(lines[0]).toBe('Read 1 note from notes.json. Nothing was changed; this is what would happen:');
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, ...emptyReport(), read: 1, added: 1 });
  });
});

describe('of the notes that are not imported', () => {
  const skip = (number: number, kind: 'bad' | 'left out') => (printer: ImportPrinter) => {
    for (const id of ids(number)) printer.printRecord({ kind, location: `line ${id}`, reason: 'It is empty' });
  };

  test('20 bad ones are named, unless all are wanted', () => {
    const some = printed({ bad: 22 }, {}, skip(22, 'bad')).lines;
    const all = printed({ bad: 22 }, { verbose: true }, skip(22, 'bad')).lines;

    expect(some.slice(19)).toEqual([
      'notes: line 20: It is empty',
      'notes: … and 2 more. --verbose shows all',
      'Read 22 records from notes.json:',
      '  22 bad, the first 20 named above',
    ]);
    expect(all.slice(20)).toEqual([
      'notes: line 21: It is empty',
      'notes: line 22: It is empty',
      'Read 22 records from notes.json:',
      '  22 bad, named above',
    ]);
  });

  test('those left out are named only if all are wanted', () => {
    const some = printed({ leftOut: 1 }, {}, skip(1, 'left out')).lines;
    const all = printed({ leftOut: 1 }, { verbose: true }, skip(1, 'left out')).lines;

    expect(some).toEqual(['Read 1 record from notes.json:', '  1 left out (--verbose names them)']);
    expect(all).toEqual(['notes: line 1 was left out: It is empty', 'Read 1 record from notes.json:', '  1 left out']);
  });

  test('no text of the source controls the terminal', () => {
    const { lines } = printed({}, {}, (printer) =>
      printer.printRecord({ kind: 'bad', location: 'a\x1b[2J', reason: 'It has\n two lines' }),
    );

    expect(lines[0]).toBe('notes: a␛[2J: It has␊ two lines');
  });
});
