/** Reads notes from files as `notes import` does: those of an export, or one from a text. What nothing reads is left out with a reason. */
import { NoteError } from '../../core/error.ts';
import type { NoteDraft } from '../../core/note.ts';
import { bytesWithin } from '../../core/tools/utf8.ts';
import { code } from '../../formats/code.ts';
import { categoryOfFile } from '../../formats/named-file.ts';
import { peekChunks } from '../../formats/peek-chunks.ts';
import { formatRejection, type Recognition } from '../../formats/recognition.ts';
import { recognizeSource } from '../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord, type Source } from '../../formats/record.ts';
import { toUtf8 } from '../../formats/text-encoding.ts';
import { decompressZstd, isZstd } from '../../formats/zstd.ts';

/** Beyond these, use the command line: the page keeps everything in memory. */
const max = { files: 1_000, mebibytes: 64, notes: 20_000 };

const mebibyte = 2 ** 20;
const headLength = 64 * 1024;

type Category = NoteDraft['category'];

export async function readFiles(files: readonly File[], category: Category): Promise<readonly ReadRecord[]> {
  const records: ReadRecord[] = [];
  let left = max.mebibytes * mebibyte;
  let notes = 0;
  for (const [at, file] of files.entries()) {
    left -= file.size;
    const tooMany = at >= max.files || left < 0 || notes > max.notes;
    if (tooMany) records.push(createBadRecord(file.name, limitSaid));
    for await (const record of tooMany ? [] : recordsIn(file, category)) {
      if (record.kind === 'note' && ++notes > max.notes) break;
      records.push(record);
    }
    if (!tooMany && notes > max.notes) records.push(createBadRecord(file.name, limitSaid));
  }
  return records;
}

const limitSaid =
  `The page imports at most ${max.files.toLocaleString()} files, ` +
  `${max.mebibytes} MiB and ${max.notes.toLocaleString()} notes at once. ` +
  'Import it separately, or use “notes import”';

async function* recordsIn(file: File, category: Category): AsyncGenerator<ReadRecord, void, void> {
  const kind = /^(image|audio|video)\//.exec(file.type)?.[1];
  if (kind)
    return yield createBadRecord(
      file.name,
      `Notes keeps text; ${kind === 'audio' ? kind : `${kind}s`} cannot be stored`,
    );
  const stored = await file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
  if (!stored)
    return yield createBadRecord(file.name, 'It cannot be read. For a folder, choose its files, or use “notes import”');
  try {
    const bytes = isZstd(stored) ? await decompressWithin(file.name, stored) : stored;
    yield* bytes ? recordsInBytes(file, bytes, category) : [createBadRecord(file.name, limitSaid)];
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    yield createBadRecord(file.name, error.message);
  }
}

/** Undefined if it unpacks to more than the page imports at once. */
function decompressWithin(name: string, stored: Uint8Array): Promise<Uint8Array | undefined> {
  async function* chunks() {
    yield stored;
  }
  return bytesWithin(decompressZstd(name, chunks()), max.mebibytes * mebibyte);
}

async function* recordsInBytes(
  file: File,
  bytes: Uint8Array,
  category: Category,
): AsyncGenerator<ReadRecord, void, void> {
  if (isArchive(bytes)) return yield createBadRecord(file.name, 'It is an archive. Unpack it, or use “notes import”');
  const { source, head } = await openSource(file, bytes, category);
  if (head.startsWith(database))
    return yield createBadRecord(file.name, 'It is a database, which only “notes import” reads');
  if (!/\S/.test(head)) return yield* code.read(source);
  const recognition = recognizeSource(source, head);
  if (recognition.kind === 'format') yield* recognition.format.read(recognition.source);
  else yield createBadRecord(file.name, explainRejection(recognition, head));
}

const isArchive = ([one, two]: Uint8Array) => (one === 0x50 && two === 0x4b) || (one === 0x1f && two === 0x8b);

const database = 'SQLite format 3\0';

/** A text that nothing reads can still become a note, if its user wants that. */
function explainRejection(recognition: Exclude<Recognition, { kind: 'format' }>, head: string): string {
  const sentence = formatRejection(recognition);
  const isText = recognition.kind === 'unknown' && !/[\0\ufffd]/.test(head);
  return isText ? `${sentence}. To make a note of its text, copy and paste it` : sentence;
}

async function openSource({ name, lastModified }: File, bytes: Uint8Array, category: Category) {
  async function* stored() {
    yield bytes;
  }
  const { head, all } = await peekChunks(toUtf8(name, stored()), headLength);
  const source: Source = {
    name: name.replace(/\.zst$/i, ''),
    modifiedAt: new Date(lastModified),
    category: categoryOfFile(name) ?? category,
    files: [],
    chunks: () => all,
  };
  return { source, head: new TextDecoder().decode(head.subarray(0, headLength)) };
}
