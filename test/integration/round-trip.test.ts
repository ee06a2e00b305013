/** Random notes come back unchanged from an export in each format. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { exportToFile, exportToFolder } from '../../src/cli/commands/export/write.ts';
import { openSource } from '../../src/cli/commands/import/source.ts';
import { categories, colors, groups } from '../../src/domain/note.ts';
import type { PortableStore } from '../../src/domain/store.ts';
import { formatOf } from '../../src/formats/formats.ts';
import { Importer } from '../../src/formats/importer.ts';
import { scaled } from '../support/scale.ts';
import { temporaryFolder } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

/** Any text that a note may hold, above all what formats mishandle: no NUL, no unpaired surrogate. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '---\n',
        '\n---\n',
        '...',
        ': ',
        '- ',
        '# ',
        '"',
        "'",
        '\\',
        '\ufeff',
        '\u2028',
      ),
      fc.constantFrom(
        '{{name}}',
        '<b>',
        '\u0085',
        '\x1b[2J',
        '\u202e',
        'id: 9\n',
        '|',
        '>-',
        'null',
        'yes',
        '007',
        '~',
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((joined) => joined !== '' && joined.isWellFormed());

const moment = fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 0) - 1), noInvalidDate: true });

const anyNote = fc
  .record({
    title: text,
    content: text,
    category: fc.constantFrom(...categories),
    group: fc.constantFrom(...groups),
    color: fc.constantFrom(...colors),
    archived: fc.boolean(),
    times: fc.tuple(moment, moment),
  })
  .map(({ times, ...fields }) => {
    const [createdAt = '', updatedAt = ''] = times.map((at) => at.toISOString()).sort();
    return { ...fields, createdAt, updatedAt };
  });

const anyNotes = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 48 }), { maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.toSorted((a, b) => a - b).map((id) => anyNote.map((fields) => ({ id, ...fields })))));

async function importAll(path: string, store: PortableStore) {
  const { source, head } = await openSource(path, process.stdin, new AbortController().signal);
  const format = formatOf(source, head);
  if (format === undefined) throw new Error('It is not recognized');
  const options = { onSkipped() {}, onBatch() {}, digest: String };
  const importer = new Importer(store, options);
  await importer.run(format.read(source));
  return importer.report;
}

test.each([
  ['notes.ndjson', 'ndjson'],
  ['notes.json', 'json'],
  ['notes', 'markdown'],
] as const)(
  'any notes come back from %s unchanged',
  async (name, format) => {
    await fc.assert(
      fc.asyncProperty(anyNotes, async (notes) => {
        using folder = temporaryFolder();
        await using from = await openFile(join(folder.path, 'from.db'));
        await using to = await openFile(join(folder.path, 'to.db'));
        await from.merge(notes);
        const target = { path: join(folder.path, name), force: false };

        if (format === 'markdown') await exportToFolder(target, from.scan());
        else await exportToFile(target, from.scan(), format);
        const sum = await importAll(target.path, to);

        expect(await to.list()).toEqual(notes);
        expect(sum).toMatchObject({ read: notes.length, added: notes.length, bad: 0, leftOut: 0 });
      }),
      { numRuns: scaled(36, 12) },
    );
  },
  120_000,
);
