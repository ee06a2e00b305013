import type { PortableStore } from '../../domain/store.ts';
import { messageOf } from '../../shared/thrown.ts';
import type { Io } from '../io.ts';
import { openNotes, placeOf } from '../notes/open.ts';
import type { StoreOptions } from '../notes/store-options.ts';
import { keepEntry } from './journal.ts';
import { RecordedNotes } from './recorded-notes.ts';

/** The command to record, and how to open its notes; `openNotes` by default. */
interface Recording {
  readonly command: string;
  readonly open?: (io: Io, options: StoreOptions) => Promise<PortableStore>;
}

/** Opens notes for writing. `notes undo` can undo what is written. Throws as `openNotes` does. */
export async function openRecorded(
  io: Io,
  options: StoreOptions,
  { command, open = openNotes }: Recording,
): Promise<RecordedNotes> {
  const place = placeOf(io, options);
  return new RecordedNotes(await open(io, options), (writes) => {
    try {
      keepEntry(io.env, { command, place, writes });
    } catch (error) {
      const reason = messageOf(error);
      if (io.stderr.isTTY) io.stderr.write(`notes: "notes undo" cannot undo this: ${reason}\n`);
    }
  });
}
