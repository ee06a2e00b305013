import { expect, test } from 'bun:test';
import { unzipRaw } from 'unzipit';
import { packStoredZip } from './stored-zip.ts';

test('an archive has the names, times and bytes of its files', async () => {
  const modifiedAt = new Date(2026, 11, 31, 23, 59, 58);
  const contents = { 'notes/1-é.md': 'Ärger 😀\r\n', 'css/2.md': '', 'prompts/3-b.md': 'x'.repeat(70_000) };
  const files = Object.entries(contents).map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text),
    modifiedAt,
  }));

  const { entries } = await unzipRaw(Buffer.concat(packStoredZip(files)));

  const read = await Promise.all(entries.map(async (entry) => [entry.name, await entry.text()]));
  expect(read).toEqual(Object.entries(contents));
  expect(entries.map(({ lastModDate }) => lastModDate)).toEqual(files.map(() => modifiedAt));
});
