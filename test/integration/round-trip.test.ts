/** Random notes come back unchanged from an export in each format. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { exportToFile } from '../../src/cli/commands/export/export-to-file.ts';
import { exportToFolder } from '../../src/cli/commands/export/export-to-folder.ts';
import { categories, colors, groups, type Note, type PortableNote } from '../../src/core/note.ts';
import { joinNoteBatchesWithOrigins, streamOriginBatches } from '../../src/formats/origin.ts';
import { importSource } from '../support/data/sources.ts';
import { createUnstoredNote } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { createTemporaryFolder } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

const awkward = [
  ...['\r', '\n', '\r\n', '---\n', '\n---\n', '...', ': ', '- ', '# ', '"', "'", '\\', '\ufeff', '\u2028', '\u0085'],
  ...['{{name}}', '<b>', '\x1b[2J', '\u202e', 'id: 9\n', '|', '>-', 'null', 'yes', '007', '~', '[[Ann]]', '\n```\n'],
];

/** Any text that a note may hold, above all what formats mishandle: no NUL, no unpaired surrogate. */
const text = fc
  .array(fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), fc.constantFrom(...awkward)), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((joined) => joined !== '' && joined.isWellFormed());

const moment = fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 0) - 1), noInvalidDate: true });

const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });

const anyOrigin = fc
  .tuple(text, hash, hash, fc.constantFrom(...categories), fc.constantFrom(...groups), fc.constantFrom(...colors))
  .map(([key, ...taken]) => ({ key, taken: taken.join(' ') }));

const anyNote = fc
  .record({
    title: text,
    content: text,
    category: fc.constantFrom(...categories),
    group: fc.constantFrom(...groups),
    color: fc.constantFrom(...colors),
    archived: fc.boolean(),
    origin: fc.option(anyOrigin, { nil: undefined }),
    times: fc.tuple(moment, moment),
  })
  .map(({ times, ...fields }) => {
    const [createdAt = '', updatedAt = ''] = times.map((at) => at.toISOString()).sort();
    return { ...createUnstoredNote(), ...fields, createdAt, updatedAt };
  });

/** The id makes the keys of origins unique, as they are in a store. */
const withId = (id: number) =>
  anyNote.map(({ origin, ...fields }) => ({
    id,
    ...fields,
    ...(origin && { origin: { ...origin, key: `${id}${origin.key}` } }),
  }));

const anyNotes = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 48 }), { maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.toSorted((a, b) => a - b).map(withId)));

type ExportedNote = Note & Pick<PortableNote, 'origin'>;

/** Exports notes from one store, and expects another to have the same after an import. */
async function expectSame(notes: readonly ExportedNote[], name: string, format: 'ndjson' | 'json' | 'markdown') {
  using folder = createTemporaryFolder();
  await using from = await openFile(join(folder.path, 'from.db'));
  await using to = await openFile(join(folder.path, 'to.db'));
  await from.merge(notes);
  const target = { path: join(folder.path, name), force: false };

  const exported = joinNoteBatchesWithOrigins(from.scan(), streamOriginBatches(from));
  if (format === 'markdown') await exportToFolder(target, exported);
  else await exportToFile(target, exported, format);
  const sum = await importSource(to, target.path);

  const imported = (await Array.fromAsync(joinNoteBatchesWithOrigins(to.scan(), streamOriginBatches(to)))).flat();
  expect(imported).toEqual([...notes]);
  expect(sum).toMatchObject({ read: notes.length, added: notes.length, bad: 0, leftOut: 0 });
}

describe.each([
  ['notes.ndjson', 'ndjson'],
  ['notes.json', 'json'],
  ['notes', 'markdown'],
] as const)('from %s', (name, format) => {
  test('any notes come back unchanged', async () => {
    const property = fc.asyncProperty(anyNotes, (notes) => expectSame(notes, name, format));
    await fc.assert(property, { numRuns: pickByScale(36, 12) });
  });
});
