import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { secretsIn, secretsInNote } from '../../../shared/secrets/secrets.ts';
import { counted } from '../../../shared/text.ts';
import { type Io, isInteractive } from '../../io.ts';
import type { ProgressLine } from '../../terminal/progress.ts';

type Withheld = Extract<ReadRecord, { kind: 'withheld' }>;

interface Guarding {
  /** Whether notes are taken whatever they hold. */
  readonly allows: boolean;
  /** Called for each note that seems to hold a secret, before anything is stored of it. */
  readonly onFound: (record: Withheld) => void;
  /** Left out, no one can be asked. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/** So many notes, and characters, wait for an answer; more are not taken. */
const maxHeld = { notes: 1_000, length: 16 * 1024 * 1024 };

/** Keeps notes that seem to hold secrets from being stored, unless a person who is asked at the end says yes. */
export class SecretGuard {
  readonly #guarding: Guarding;
  readonly #withheld = new WeakSet<ReadRecord>();

  constructor(guarding: Guarding) {
    this.#guarding = guarding;
  }

  /** Whether this record was withheld, and no one has said yes since. */
  withholds(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  /** The records, in place of some what tells that they were withheld. */
  async *guard(records: AsyncIterable<ReadRecord>): AsyncGenerator<ReadRecord, void, void> {
    const { allows, onFound, ask } = this.#guarding;
    if (allows) return yield* records;
    const held: (readonly [NoteRecord, Withheld])[] = [];
    let length = 0;
    for await (const record of records) {
      const withheld = record.kind === 'note' ? withheldOf(record) : undefined;
      if (record.kind !== 'note' || withheld === undefined) {
        yield record;
        continue;
      }
      onFound(withheld);
      this.#withheld.add(record);
      length += record.note.content.length;
      if (ask && held.length < maxHeld.notes && length <= maxHeld.length) held.push([record, withheld]);
      else yield withheld;
    }
    const isTaken = held.length > 0 && (await ask?.(`Store ${counted(held.length)} that may hold secrets?`)) === true;
    for (const [record, withheld] of held) {
      if (isTaken) this.#withheld.delete(record);
      yield isTaken ? record : withheld;
    }
  }
}

function withheldOf({ place, note }: NoteRecord): Withheld | undefined {
  const kinds = secretsInNote(note);
  if (kinds.length === 0) return undefined;
  const name = secretsIn(note.title).length === 0 ? `${place}, “${note.title}”` : place;
  return { kind: 'withheld', place: name, reason: `It seems to hold ${kinds.join(' and ')}` };
}

/** Asks a person at a terminal below what is shown there; undefined where there is none. */
export function askerOf(io: Io, line: ProgressLine): Guarding['ask'] {
  if (!isInteractive(io)) return undefined;
  return async (question) => {
    const { confirm } = await import('../../terminal/ask.ts');
    line.clear();
    return await confirm(question, io);
  };
}
