import { messageOf } from '../../shared/thrown.ts';
import type { Io } from '../io.ts';
import { openNotes, storeNameOf } from '../notes/open.ts';
import type { StoreOptions } from '../notes/store-options.ts';
import { keepEntry } from './journal.ts';
import { RecordedNotes } from './recorded-notes.ts';

/** Opens notes for writing. `notes undo` can undo what is written. Throws as `openNotes` does. */
export async function openRecorded(
  io: Io,
  options: StoreOptions,
  { command, open = openNotes }: { readonly command: string; readonly open?: typeof openNotes },
): Promise<RecordedNotes> {
  const place = storeNameOf(io, options);
  return new RecordedNotes(await open(io, options), (writes) => {
    try {
      keepEntry(io.env, { command, place, writes });
    } catch (error) {
      const reason = messageOf(error);
      if (io.stderr.isTTY) io.stderr.write(`notes: "notes undo" cannot undo this: ${reason}\n`);
    }
  });
}
