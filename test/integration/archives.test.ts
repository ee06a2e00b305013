/** Downloaded export archives: read as the folder that they contain, and harmless. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestCli } from '../support/test-cli.ts';
import { createZip, type ZipFile } from './zip.ts';

const fixtures = join(import.meta.dir, '../fixtures');

function createCliForArchives() {
  const cli = createTestCli();
  const importZip = (zip: Uint8Array) => cli.run(['import', cli.writeFile('export.zip', zip), '--json']);
  return { ...cli, importZip };
}

const readFixtureFiles = (fixture: string, folder = ''): ZipFile[] =>
  readdirSync(join(fixtures, fixture), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name: folder + name, content: readFileSync(join(fixtures, fixture, name)) }));

describe('the archive of', () => {
  test.each([
    ['chatgpt', 'chatgpt/split', ''],
    ['claude', 'claude', ''],
    ['claude', 'claude', 'data-2026-01-01/'],
  ])('%s holds what its folder %s holds, below %p', async (format, fixture, folder) => {
    using cli = createCliForArchives();
    using unpacked = createCliForArchives();

    const zipped = await cli.importZip(createZip(readFixtureFiles(fixture, folder)));
    const plain = await unpacked.run(['import', join(fixtures, fixture), '--json']);

    expect(zipped.stderr).toContain(`export.zip (${format})`);
    const { added, bad } = JSON.parse(zipped.stdout);
    expect(JSON.parse(plain.stdout)).toMatchObject({ added, bad });
    expect(added).toBeGreaterThan(0);
  });
});

test('a piped archive is refused with advice', async () => {
  using cli = createCliForArchives();
  const archive = createZip([{ name: 'notes.ndjson', content: '' }]);

  const result = await cli.run(['import', '-'], archive);

  const stderr = 'notes: standard input is a .zip archive. Save it as a file, and import that\n';
  expect(result).toEqual({ code: 2, stdout: '', stderr });
});

const vault = { 'vault/.obsidian/app.json': '{}', 'vault/One.md': 'first', 'vault/below/Two.md': 'second' };

describe('an archive made by tar', () => {
  test.each([
    ['vault.tar', undefined],
    ['vault.tgz', 'gzip'],
  ] as const)('is read like the folder that it holds, also from standard input: %s', async (name, compress) => {
    using cli = createCliForArchives();
    const archive = await new Bun.Archive(vault, compress && { compress }).bytes();

    const first = await cli.run(['import', cli.writeFile(name, archive)]);
    const piped = await cli.run(['import', '-'], archive);

    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`${name} (markdown):\n  2 added`)]);
    expect(piped.stderr).toContain('2 already there');
    const notes = (await cli.readAllNotes()).map(({ title, content }) => `${title}: ${content}`);
    expect(notes.toSorted()).toEqual(['One: first', 'Two: second']);
  });

  test('and damaged is rejected', async () => {
    using cli = createCliForArchives();
    const archive = await new Bun.Archive({ 'a.md': 'x'.repeat(2_000) }).bytes();

    const { code, stderr } = await cli.run(['import', cli.writeFile('cut.tar', archive.subarray(0, 1_000))]);

    expect([code, stderr]).toEqual([2, expect.stringContaining('cut.tar is damaged: it cannot be unpacked')]);
  });
});

describe('an archive in an archive', () => {
  const inner = createZip(Object.entries(vault).map(([name, content]) => ({ name, content })));

  test('is read as a folder, but those in it are not', async () => {
    using cli = createCliForArchives();
    const deep = createZip([{ name: 'deep.md', content: 'too deep' }]);
    const files = [
      { name: 'Part-1.zip', content: inner },
      {
        name: 'Part-2.zip',
        content: createZip([
          { name: 'Three.md', content: 'third' },
          { name: 'deep.zip', content: deep },
        ]),
      },
    ];

    const { code, stderr } = await cli.importZip(createZip(files));

    expect((await cli.readAllNotes()).map(({ title }) => title).toSorted()).toEqual(['One', 'Three', 'Two']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 file .zip: not read')]);
  });

  test('that is damaged is named', async () => {
    using cli = createCliForArchives();

    const { code, stderr } = await cli.importZip(createZip([{ name: 'Part-1.zip', content: inner.subarray(0, -30) }]));

    expect([code, stderr]).toEqual([2, expect.stringMatching(/Part-1\.zip in .*export\.zip is damaged/)]);
  });
});

test('a folder that a file manager has compressed is recognized below its extra folder', async () => {
  using cli = createCliForArchives();
  const content = readFileSync(join(fixtures, 'masscode/db.json'));
  const files = [
    { name: 'massCode/db.json', content },
    { name: '__MACOSX/massCode/._db.json', content: '\0' },
    { name: 'massCode/.DS_Store', content: '\0' },
  ];

  const zipped = await cli.importZip(createZip(files));

  expect([zipped.code, zipped.stderr]).toEqual([expect.any(Number), expect.stringContaining('export.zip (masscode)')]);
  expect(JSON.parse(zipped.stdout).added).toBeGreaterThan(0);
});

test('paths that lead out of the archive are only names', async () => {
  using cli = createCliForArchives();
  const names = ['../../../outside.md', '/etc/notes-outside.md', 'C:\\outside.md', 'a/../b.md'];

  const { code, stdout } = await cli.importZip(createZip(names.map((name) => ({ name, content: `text of ${name}` }))));

  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ added: 4 })]);
  expect((await cli.readAllNotes()).map(({ title }) => title).toSorted()).toEqual([
    'b',
    'notes-outside',
    'outside',
    'outside',
  ]);
  expect(readdirSync(cli.folder).filter((name) => name.endsWith('.md'))).toEqual([]);
});

describe('an archive is refused that', () => {
  const zeros = Buffer.alloc(64 * 2 ** 20);
  test.each([
    [
      'unpacks to far more than it is',
      createZip([{ name: 'conversations.json', content: zeros }]),
      'unpacks to far more',
    ],
    ['is encrypted', createZip([{ name: 'a.md', content: 'x', isEncrypted: true }]), 'is encrypted'],
    ['is truncated', createZip([{ name: 'a.md', content: 'x' }]).subarray(0, -30), 'is damaged: it cannot be unpacked'],
  ])('%s', async (_, zip, reason) => {
    using cli = createCliForArchives();

    const { code, stderr } = await cli.importZip(zip);

    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
