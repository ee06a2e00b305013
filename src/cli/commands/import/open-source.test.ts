import { describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { createRecordedIo } from '../../../../test/support/terminal/recorded-io.ts';
import { tryCreateOriginKey } from '../../../formats/origin.ts';
import { FileOriginKeyFactory } from './file-origin-keys.ts';
import { openSource } from './open-source.ts';

const running = new AbortController().signal;

/** Reads standard input that arrives in these chunks. */
async function read(chunks: readonly Uint8Array[]) {
  const { source, head, part } = await openSource('-', createRecordedIo({ stdin: chunks }).stdin, running);
  const bytes = Buffer.concat(await Array.fromAsync(source.streamChunks()));
  return { head, bytes, part: part() };
}

/** Pieces of a text, cut at these places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length].sort((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

describe('standard input', () => {
  test('is read whole however it arrives, also compressed', async () => {
    const anyBytes = fc.oneof(fc.string({ unit: 'grapheme' }).map(Buffer.from), fc.uint8Array());
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.array(fc.nat(), { maxLength: 4 }), async (bytes, places) => {
        fc.pre(bytes[0] !== 0x1f && bytes[0] !== 0xfe && bytes[0] !== 0xff);
        const halves = cutAt(bytes, [bytes.length >> 1]);

        const plain = await read(cutAt(bytes, places));
        const zipped = await read(cutAt(gzipSync(bytes), places));
        const members = await read(cutAt(Buffer.concat(halves.map((half) => gzipSync(half))), places));

        for (const found of [plain, zipped, members]) expect(found.bytes).toEqual(Buffer.from(bytes));
        expect([zipped.head, members.head]).toEqual([plain.head, plain.head]);
      }),
    );
  });

  test('that is compressed and cut off is damaged', async () => {
    const cut = gzipSync('a text that is cut off').subarray(0, -9);

    await expect(read([cut])).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('standard input is damaged: it cannot be unpacked'),
    });
  });
});

test('a file is identified by its path, and in a vault by the name of the vault and the path in it', () => {
  using folder = createTemporaryFolder();
  mkdirSync(join(folder.path, 'My vault', '.obsidian'), { recursive: true });
  const below = (...names: string[]) => join(folder.path, ...names);
  const origins = new FileOriginKeyFactory();

  expect(origins.tryCreateKey(below('a.md'))).toBe(tryCreateOriginKey('file', below('a.md')));
  expect(origins.tryCreateKey(below('My vault', 'a.md'))).toBe(tryCreateOriginKey('obsidian', 'My vault/a.md'));
  expect(origins.tryCreateKey(below('My vault', 'deep', 'er', 'a.md'))).toBe(
    tryCreateOriginKey('obsidian', 'My vault/deep/er/a.md'),
  );
  expect(origins.tryCreateKey(below('My vault.md'))).toBe(tryCreateOriginKey('file', below('My vault.md')));
});

test('a vault in a vault has its own files', () => {
  using folder = createTemporaryFolder();
  mkdirSync(join(folder.path, 'outer', 'inner', '.obsidian'), { recursive: true });
  mkdirSync(join(folder.path, 'outer', '.obsidian'));

  expect(new FileOriginKeyFactory().tryCreateKey(join(folder.path, 'outer', 'inner', 'a.md'))).toBe(
    tryCreateOriginKey('obsidian', 'inner/a.md'),
  );
});
