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
import { importLimitMessage, maxImported, ReadLimit } from './import-limit.ts';
import { type DroppedItem, openDroppedItem } from './open-dropped-item.ts';

type Category = NoteDraft['category'];

export async function readDroppedItems(
  dropped: readonly DroppedItem[],
  category: Category,
): Promise<readonly ReadRecord[]> {
  const records: ReadRecord[] = [];
  const limit = new ReadLimit();
  let notesLeft = maxImported.notes;
  for (const [index, one] of dropped.entries()) {
    if (index >= maxImported.files || notesLeft < 0) {
      records.push(createBadRecord(one.name, importLimitMessage));
      continue;
    }
    for await (const record of streamDroppedRecords(one, category, limit)) {
      if (record.kind === 'note') notesLeft--;
      if (notesLeft < 0) break;
      records.push(record);
    }
    if (notesLeft < 0) records.push(createBadRecord(one.name, importLimitMessage));
  }
  return records;
}

async function* streamDroppedRecords(
  dropped: DroppedItem,
  category: Category,
  limit: ReadLimit,
): AsyncGenerator<ReadRecord, void, void> {
  const medium = dropped instanceof File ? /^(image|audio|video)\//.exec(dropped.type)?.[1] : undefined;
  if (medium !== undefined) {
    const media = medium === 'audio' ? medium : `${medium}s`;
    return yield createBadRecord(dropped.name, `Notes keeps text; ${media} cannot be stored`);
  }
  try {
    const { source, head } = await openDroppedItem(dropped, { category, limit });
    if (source.files.length === 0 && !/\S/.test(head)) return yield* codeFormat.streamRecords(source);
    const recognition = recognizeSource(source, head);
    if (recognition.kind === 'format') yield* recognition.format.streamRecords(recognition.source);
    else yield createBadRecord(dropped.name, formatRejectionWithHint(recognition, head));
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    yield createBadRecord(dropped.name, error.message);
  }
}

/** A text that nothing reads can still become a note, if its user wants that. */
function formatRejectionWithHint(recognition: Exclude<Recognition, { kind: 'format' }>, head: string): string {
  const sentence = formatRejection(recognition);
  const isText = recognition.kind === 'unknown' && !/[\0\ufffd]/.test(head);
  return isText ? `${sentence}. To make a note of its text, copy and paste it` : sentence;
}
