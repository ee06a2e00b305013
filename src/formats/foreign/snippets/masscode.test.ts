import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';
import { createUnstoredNote } from '../../../../test/support/sample-notes.ts';
import { masscodeFormat } from './masscode.ts';

const titles = ({ notes }: Awaited<ReturnType<typeof readFixture>>) =>
  notes.map(({ title, category, archived }) => `${title} | ${category}${archived ? ' | archived' : ''}`);

test("massCode 3: each fragment is a note of its language's category, its text and times as they are", async () => {
  const reading = await readFixture('masscode/db.json');

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Centre a box | css',
    'Deploy — description | notes',
    'Deploy — staging | bash-commands',
    'Deploy — Fragment 2 | bash-commands',
    'Deploy — config | notes',
    "print('🗑') | notes | archived",
  ]);
  expect(reading.rest).toEqual([
    'left out | snippet 2 of masscode/db.json, empty | It has no text',
    'left out | snippet 4 of masscode/db.json | It has no text',
    'bad | snippet 5 of masscode/db.json | Must be a JSON object',
  ]);
  expect(reading.notes[0]).toEqual(
    createUnstoredNote({
      title: 'Centre a box',
      content: '.box {\n  place-items: center; // 中央\n}\n',
      category: 'css',
      group: 'first',
      color: 'neutral',
      createdAt: '2023-02-01T00:00:00.000Z',
      updatedAt: '2023-02-02T00:00:00.123Z',
    }),
  );
});

test('massCode 1: the last line of a snippet counts, and deleted ones are none', async () => {
  const time = { $$date: Date.UTC(2020, 0, 2) };
  const snippet = (id: string, name: string, value: string, isDeleted = false) => ({
    name,
    content: [{ label: 'Fragment 1', language: 'sh', value }],
    ...{ tags: [], isFavorites: false, isDeleted, createdAt: time, updatedAt: time, _id: id },
  });
  const changes = [
    snippet('a', 'Lis', 'l'),
    snippet('b', 'Gone', 'rm'),
    { $$indexCreated: { fieldName: 'name' } },
    snippet('a', 'List', 'ls -l'),
    { $$deleted: true, _id: 'b' },
    snippet('c', 'Old', 'dir', true),
  ];
  const text = `${changes.map((change) => JSON.stringify(change)).join('\n')}\n{"name":"cut\n`;

  const readings = await Promise.all([readText('snippets.db', text, new Date()), readText('copy.txt', text)]);

  for (const reading of readings) {
    expect(reading.format).toBe('masscode');
    expect(titles(reading)).toEqual(['List | bash-commands', 'Old | bash-commands | archived']);
    expect(reading.notes[0]).toMatchObject({ content: 'ls -l', createdAt: '2020-01-02T00:00:00.000Z' });
    expect(reading.rest).toMatchObject([expect.stringContaining('Must be a JSON object')]);
  }
});

/** A database as massCode 4 leaves it: with a write-ahead log according to its header. */
async function createDatabase(sql: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-masscode-'));
  try {
    const database = new Database(join(folder, 'massCode.db'));
    database.run(sql);
    database.close();
    return await readFile(join(folder, 'massCode.db'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('massCode 4: the database is read', async () => {
  const sql = await Bun.file(join(import.meta.dir, '../../../../test/fixtures/masscode/v4.sql')).text();

  const reading = await readText('massCode.db', await createDatabase(sql));

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Rebase — one | bash-commands',
    'Rebase — two | bash-commands',
    'Gone — Fragment 2 | css | archived',
  ]);
  expect(reading.notes[1]?.content).toBe('git rebase --abort');
  expect(reading.rest).toEqual(['left out | snippet 2 of massCode.db, Fragment 1 | It has no text']);
});

test('massCode 5: fragments, notes and the trash of a vault are read', async () => {
  const reading = await readFixture('masscode/vault');

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Old reset | css | archived',
    'Ideas | notes',
    'Add a user — description | notes',
    'Add a user | bash-commands',
    'Budget | notes',
    'Find: large files — GNU | bash-commands',
    'Find: large files — with a fence | notes',
  ]);
  expect(reading.notes.map(({ content }) => content)).toEqual([
    '* { margin: 0 }',
    '---\nstatus: draft\nlinks:\n  - "[[Find]]"\n---\n- one\n- two\n',
    'Needs the role `admin`.\n',
    [
      "curl -g -X POST '{{apiUrl}}/users?dry=true' \\",
      "  -H 'X-Trace: on' \\",
      "  -u 'ada:{{password}}' \\",
      "  -H 'Content-Type: application/json' \\",
      "  --data-raw '{\n  \"name\": \"O'\\''Hara\"\n}'",
      '# header X-Trace (follow it\n# in the logs)',
      '# off: header X-Debug: 1',
      '# off: parameter page=2',
    ].join('\n'),
    'rent = 900\nrent * 12',
    'find . -size +10M\n\n## Fragment: not one',
    '```sh\nls\n```',
  ]);
  expect(reading.rest).toEqual([
    'left out | masscode/vault | Files that this format does not read: .masscode/state.json',
  ]);
});

test('massCode 5: every text has an origin of its own, also with one id and time in each space', async () => {
  const facts = 'id: 1\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000';
  const files = {
    '.masscode/state.json': '{}',
    'code/Shell/Tar.md': `---\n${facts}\ncontents: []\n---\n${'## Fragment: A\n```sh\ntar x\n```\n\n'.repeat(2)}`,
    'http/Get.md': `---\n${facts}\nmethod: GET\nurl: https://a.example\n---\nAbout it`,
    'math/.state.yaml': 'sheets: [{ id: 1, createdAt: 1767225600000, content: 1 + 1 }]',
    'notes/Ideas/Plan.md': `---\n${facts}\n---\nOne`,
  };
  const source = {
    name: 'vault',
    modifiedAt: new Date(),
    files: Object.keys(files),
    async *streamChunks(path = '') {
      yield new TextEncoder().encode(new Map(Object.entries(files)).get(path));
    },
  };

  const records = await Array.fromAsync(masscodeFormat.streamRecords(source));

  const time = '2026-01-01T00:00:00.000Z';
  expect(records.flatMap((record) => (record.kind === 'note' ? record.origin : []))).toEqual([
    `masscode:${time}/1/A`,
    `masscode:${time}/1/A (2)`,
    `masscode:http/${time}/1/description`,
    `masscode:http/${time}/1/request`,
    `masscode:math/${time}/1/Fragment 1`,
    `masscode:notes/${time}/1/Fragment 1`,
  ]);
});

test('massCode 3: no word of a fragment or description is lost', async () => {
  const text = textWith('```', '## Fragment: A');
  const name = fc.constantFrom('', 'A', 'a name');
  const fragment = fc.record({ label: name, language: fc.constantFrom('sh', 'css', ''), value: text });
  const snippet = fc.record({
    name,
    isDeleted: fc.boolean(),
    description: fc.option(text),
    content: fc.array(fragment, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(snippet, { maxLength: 4 }), async (snippets) => {
      const { text, words } = numbered(JSON.stringify({ folders: [], snippets }));

      expect(missing(words, await readText('db.json', text))).toEqual([]);
    }),
  );
});
