/** Random notes come back unchanged from an export in each format. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { exportToFile, exportToFolder } from '../../src/cli/commands/export/write.ts';
import { openSource } from '../../src/cli/commands/import/source.ts';
import { categories, colors, groups, type Note } from '../../src/core/note.ts';
import type { PortableStore } from '../../src/core/store.ts';
import { formatOf } from '../../src/formats/formats.ts';
import { Importer } from '../../src/formats/importer.ts';
import { scaled } from '../support/scale.ts';
import { portableNote, temporaryFolder } from '../support/service.ts';
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

/** Ten kinds of titles and contents that formats could mistake for their own syntax, or change. */
const oddTexts: readonly (readonly [title: string, content: string])[] = [
  ['Wiki links: [[Ann]], [[Ben]]', '---\npeople: [[Ann]], [[Ben]]\n---\ntext'],
  ['# title: "a": \'b\'', '---\r\ntags:   [daily,work] # both\r\ntitle: Not mine\r\n---\r\n\r\ntext\r\n'],
  ['---', '---\n\nA rule\n\n---\n---\nid: 1\nupdatedAt: 2026-01-01T00:00:00.000Z\n---\n'],
  [' ', ' \t\n\n'],
  ['\ufeffmark', '\ufeff\ufefftext\u2028\u2029\u0085\v\f\u0001'],
  ['👩‍👩‍👧 é é ﬁ ｶﾞ', '\u202eright\u202c हिन्दी \u{10ffff} \u{e0001}'],
  ['{"id":1,"title":"a"}', '[{"id":1,"title":"a","content":"b","category":"css"}]\n{}\n'],
  ['null', '\n...\n--- |\n  - &a *b !c <<: ? : >-\n%YAML 1.1\n'],
  ['{{date}} <% tp.date.now() %>', '```md\n````js\n{{x=a|b}}\n````\n```\n<script>alert(1)</script>\x1b[2J\\u0000\\n'],
  ['../../etc/passwd\n.md', `${'long '.repeat(20_000)}\n${'\t'.repeat(99)}- x\r`],
];

const oddNotes = oddTexts.map(([title, content], at) => portableNote(7 * at + 1, { title, content }));

/** Exports notes from one store, and expects another to have the same after an import. */
async function expectSame(notes: readonly Note[], name: string, format: 'ndjson' | 'json' | 'markdown') {
  using folder = temporaryFolder();
  await using from = await openFile(join(folder.path, 'from.db'));
  await using to = await openFile(join(folder.path, 'to.db'));
  await from.merge(notes);
  const target = { path: join(folder.path, name), force: false };

  if (format === 'markdown') await exportToFolder(target, from.scan());
  else await exportToFile(target, from.scan(), format);
  const sum = await importAll(target.path, to);

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
  }, 120_000);

  test('notes of ten odd kinds come back unchanged', () => expectSame(oddNotes, name, format), 60_000);
});
