/** ZIP archives for tests, written by hand (PKWARE's APPNOTE.TXT) so that they can be invalid. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly isEncrypted?: boolean;
}

const deflated = 8;
const utf8Name = 0x800;
/** 1 January 2026 in MS-DOS format. */
const date = ((2026 - 1980) << 9) | (1 << 5) | 1;

export function createZip(files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isEncrypted = false } of files) {
    const [bytes, nameBytes] = [Buffer.from(content), Buffer.from(name)];
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(utf8Name | Number(isEncrypted), 2);
    fields.writeUInt16LE(deflated, 4);
    fields.writeUInt16LE(date, 8);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, tail, nameBytes]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
