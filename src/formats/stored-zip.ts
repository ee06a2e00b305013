/** A file to pack. Its path is relative, with `/`. */
interface FileToPack {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAt: Date;
}

const versionNeeded = 20;
const utf8Names = 0x800;

/**
 * Packs files into a `.zip` archive without compression (PKWARE's APPNOTE.TXT), for browsers, which have no writer.
 * Holds at most 65,535 files and 4 GiB. Example: two files become two local headers, each with the bytes of its file,
 * then a directory of two entries, and the end of it.
 */
export function packStoredZip(files: readonly FileToPack[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { path, bytes, modifiedAt } of files) {
    const name = new TextEncoder().encode(path);
    const fields = encodeCommonFields(name, bytes, modifiedAt);
    const local = [encodeNumbers([4, 0x04034b50]), fields, name, bytes];
    const place = encodeNumbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(encodeNumbers([4, 0x02014b50], [2, versionNeeded]), fields, place, name);
    pieces.push(...local);
    offset += sumLengths(local);
  }
  const end = encodeNumbers(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, sumLengths(directory)],
    [4, offset],
    [2, 0],
  );
  return [...pieces, ...directory, end];
}

/** Encodes what both headers of a file have. Names are in UTF-8, and the method 0 is no compression. */
const encodeCommonFields = (name: Uint8Array, bytes: Uint8Array, modifiedAt: Date) =>
  encodeNumbers(
    [2, versionNeeded],
    [2, utf8Names],
    [2, 0],
    [4, toDosTime(modifiedAt)],
    [4, computeCrc32(bytes)],
    [4, bytes.length],
    [4, bytes.length],
    [2, name.length],
    [2, 0],
  );

/** Encodes numbers of 2 or 4 bytes, the lowest byte first. */
function encodeNumbers(...numbers: readonly (readonly [length: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [length]) => sum + length, 0)));
  let at = 0;
  for (const [length, value] of numbers) {
    if (length === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += length;
  }
  return new Uint8Array(view.buffer);
}

const sumLengths = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0);

/** A local time in steps of two seconds, from 1980 on: the date is in the upper 16 bits. */
function toDosTime(time: Date): number {
  const date = (Math.max(time.getFullYear() - 1980, 0) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  return ((date << 16) | (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)) >>> 0;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function computeCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
