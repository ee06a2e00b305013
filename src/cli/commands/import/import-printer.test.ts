import { describe, expect, test } from 'bun:test';
import { createRecordedIo } from '../../../../test/support/terminal/recorded-io.ts';
import { createEmptyImportReport, type ImportReport } from '../../../formats/import-report.ts';
import { ImportPrinter } from './import-printer.ts';

type Flags = ConstructorParameters<typeof ImportPrinter>[1];

/** What is printed of a report, after `before`. */
function printed(
  changes: Partial<ImportReport>,
  flags: Flags = {},
  before: (printer: ImportPrinter) => void = () => {},
) {
  const io = createRecordedIo();
  using printer = new ImportPrinter(io, flags);
  before(printer);
  printer.printReport({ ...createEmptyImportReport(), ...changes }, 'notes.json');
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
    expect(printed({ read: 5, added: 5, pinned: 2, notPinned: 3 }).lines.slice(2)).toEqual([
      '  2 pinned, after those that were pinned before',
      '  3 not pinned, since at most 100 notes can be',
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
    const leftOut = { leftOutReasons: {}, leftOutParts: {}, unreadFiles: {} };
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, ...createEmptyImportReport(), read: 1, added: 1, ...leftOut });
  });
});

describe('of the notes that are not imported', () => {
  const skip = (number: number, kind: 'bad' | 'left out') => (printer: ImportPrinter) => {
    for (const id of ids(number))
      printer.reportUnimportedRecord({ kind, location: `line ${id}`, reason: 'It is empty' });
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

  test('those left out are counted by reason, and named only if all are wanted', () => {
    const some = printed({ leftOut: 2 }, {}, skip(2, 'left out')).lines;
    const all = printed({ leftOut: 1 }, { verbose: true }, skip(1, 'left out')).lines;

    expect(some).toEqual([
      'Read 2 records from notes.json:',
      '  2 left out (--verbose names them):',
      '    2: It is empty',
    ]);
    expect(all).toEqual([
      'notes: line 1 was left out: It is empty',
      'Read 1 record from notes.json:',
      '  1 left out:',
      '    1: It is empty',
    ]);
  });

  test('files that no format reads are counted by ending, and parts of notes by reason, in JSON too', () => {
    const leave = (printer: ImportPrinter) => {
      const [kind, unread] = ['left out', ['a/b.HTML', 'c.html', 'LICENSE']] as const;
      printer.reportUnimportedRecord({ kind, location: 'a', reason: 'Others', count: 3, unread });
      for (const n of [1, 2])
        printer.reportUnimportedRecord({ kind, location: `${n}`, reason: `Lines: ${n} of them`, count: 0 });
    };

    const { lines, stdout } = printed({ leftOut: 3 }, { json: true }, leave);

    expect(lines.slice(1)).toEqual([
      '  3 left out (--verbose names them):',
      '    2 files .html, 1 file without an ending: not read',
      '  Parts of notes were left out (--verbose names them):',
      '    2: Lines',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      leftOutReasons: {},
      leftOutParts: { Lines: 2 },
      unreadFiles: { '.html': 2, 'without an ending': 1 },
    });
  });

  test('no text of the source controls the terminal', () => {
    const { lines } = printed({}, {}, (printer) =>
      printer.reportUnimportedRecord({ kind: 'bad', location: 'a\x1b[2J', reason: 'It has\n two lines' }),
    );

    expect(lines[0]).toBe('notes: a␛[2J: It has␊ two lines');
  });
});
