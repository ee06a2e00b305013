/** Random notes come back unchanged from an export in each format. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { exportToFile, exportToFolder } from '../../src/cli/commands/export/write.ts';
import { categories, colors, groups, type Note } from '../../src/core/note.ts';
import { importInto } from '../support/data/sources.ts';
import { scaled } from '../support/scale.ts';
import { temporaryFolder } from '../support/service.ts';
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

/** Exports notes from one store, and expects another to have the same after an import. */
async function expectSame(notes: readonly Note[], name: string, format: 'ndjson' | 'json' | 'markdown') {
  using folder = temporaryFolder();
  await using from = await openFile(join(folder.path, 'from.db'));
  await using to = await openFile(join(folder.path, 'to.db'));
  await from.merge(notes);
  const target = { path: join(folder.path, name), force: false };

  if (format === 'markdown') await exportToFolder(target, from.scan());
  else await exportToFile(target, from.scan(), format);
  const sum = await importInto(to, target.path);

  expect(await to.list()).toEqual([...notes]);
  expect(sum).toMatchObject({ read: notes.length, added: notes.length, bad: 0, leftOut: 0 });
}

describe.each([
  ['notes.ndjson', 'ndjson'],
  ['notes.json', 'json'],
  ['notes', 'markdown'],
] as const)('from %s', (name, format) => {
  test('any notes come back unchanged', async () => {
    const property = fc.asyncProperty(anyNotes, (notes) => expectSame(notes, name, format));
    await fc.assert(property, { numRuns: scaled(36, 12) });
  });
});
