/**
 * Reads notes from files, folders and archives as `notes import` does: those of an export, or one from a text. What
 * nothing reads is left out with a reason.
 */
import { NoteError } from '../../core/error.ts';
import type { NoteDraft } from '../../core/note.ts';
import { codeFormat } from '../../formats/code-format.ts';
import { formatRejection, type Recognition } from '../../formats/recognition.ts';
import { recognizeSource } from '../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../formats/record.ts';
import { type Dropped, openDropped } from './open-dropped.ts';
import { limitSentence, maxRead, ReadLimit } from './read-limit.ts';

type Category = NoteDraft['category'];

export async function readFiles(dropped: readonly Dropped[], category: Category): Promise<readonly ReadRecord[]> {
  const records: ReadRecord[] = [];
  const limit = new ReadLimit();
  let notes = 0;
  for (const [at, one] of dropped.entries()) {
    const tooMany = at >= maxRead.files || notes > maxRead.notes;
    if (tooMany) records.push(createBadRecord(one.name, limitSentence));
    for await (const record of tooMany ? [] : readDropped(one, category, limit)) {
      if (record.kind === 'note' && ++notes > maxRead.notes) break;
      records.push(record);
    }
    if (!tooMany && notes > maxRead.notes) records.push(createBadRecord(one.name, limitSentence));
  }
  return records;
}

async function* readDropped(
  dropped: Dropped,
  category: Category,
  limit: ReadLimit,
): AsyncGenerator<ReadRecord, void, void> {
  const medium = dropped instanceof File ? /^(image|audio|video)\//.exec(dropped.type)?.[1] : undefined;
  if (medium !== undefined) {
    const media = medium === 'audio' ? medium : `${medium}s`;
    return yield createBadRecord(dropped.name, `Notes keeps text; ${media} cannot be stored`);
  }
  try {
    const { source, head } = await openDropped(dropped, { category, limit });
    if (source.files.length === 0 && !/\S/.test(head)) return yield* codeFormat.read(source);
    const recognition = recognizeSource(source, head);
    if (recognition.kind === 'format') yield* recognition.format.read(recognition.source);
    else yield createBadRecord(dropped.name, explainRejection(recognition, head));
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    yield createBadRecord(dropped.name, error.message);
  }
}

/** A text that nothing reads can still become a note, if its user wants that. */
function explainRejection(recognition: Exclude<Recognition, { kind: 'format' }>, head: string): string {
  const sentence = formatRejection(recognition);
  const isText = recognition.kind === 'unknown' && !/[\0\ufffd]/.test(head);
  return isText ? `${sentence}. To make a note of its text, copy and paste it` : sentence;
}
