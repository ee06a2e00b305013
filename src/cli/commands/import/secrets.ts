import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { secretsIn, secretsInNote } from '../../../shared/secrets/secrets.ts';
import { counted } from '../../../shared/text.ts';
import { type Io, isInteractive } from '../../io.ts';
import type { ProgressLine } from '../../terminal/progress.ts';

type Withheld = Extract<ReadRecord, { kind: 'withheld' }>;

interface Guarding {
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
  readonly #held: (readonly [NoteRecord, Withheld])[] = [];
  #length = 0;

  constructor(guarding: Guarding) {
    this.#guarding = guarding;
  }

  /** Whether this record was withheld, and no one has said yes since. */
  withholds(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  check(record: ReadRecord): ReadRecord | undefined {
    if (record.kind !== 'note') return record;
    const withheld = withheldOf(record);
    if (withheld === undefined) return record;
    this.#guarding.onFound(withheld);
    this.#withheld.add(record);
    this.#length += record.note.content.length;
    const isHeld = this.#guarding.ask && this.#held.length < maxHeld.notes && this.#length <= maxHeld.length;
    if (!isHeld) return withheld;
    this.#held.push([record, withheld]);
    return undefined;
  }

  async held(): Promise<readonly ReadRecord[]> {
    const question = `Store ${counted(this.#held.length)} that may hold secrets?`;
    const isTaken = this.#held.length > 0 && (await this.#guarding.ask?.(question)) === true;
    return this.#held.map(([record, withheld]) => {
      if (isTaken) this.#withheld.delete(record);
      return isTaken ? record : withheld;
    });
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
