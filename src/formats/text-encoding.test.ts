import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { transcodeUtf16IfMarked } from './text-encoding.ts';

async function* cutInto(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = async (bytes: Uint8Array, size: number) =>
  Buffer.concat(await Array.fromAsync(transcodeUtf16IfMarked('a.md', cutInto(bytes, size)))).toString();

test('a text in UTF-16 with a byte order mark becomes UTF-8, however it arrives; one in UTF-8 stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), async (text, size) => {
      const little = Buffer.from(`\ufeff${text}`, 'utf16le');
      const big = Buffer.from(little).swap16();

      expect(await read(little, size)).toBe(text);
      expect(await read(big, size)).toBe(text);
      expect(await read(Buffer.from(text), size)).toBe(text);
    }),
  );
});

test.each([
  ['an odd number of bytes', [0xff, 0xfe, 0x41]],
  ['half of a pair', [0xff, 0xfe, 0x00, 0xd8]],
])('what begins like UTF-16 and is damaged is rejected by name: %s', async (_, bytes) => {
  await expect(read(Uint8Array.from(bytes), 2)).rejects.toMatchObject({
    code: 'invalid',
    message: 'a.md begins like a text in UTF-16, and is none',
  });
});
