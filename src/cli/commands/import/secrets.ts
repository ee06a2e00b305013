import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { secretsIn, secretsInNote } from '../../../shared/secrets/secrets.ts';
import { counted } from '../../../shared/text.ts';
import { type Io, isInteractive } from '../../io.ts';
import type { ImportPrinter } from './print.ts';

type Withheld = Exclude<ReadRecord, NoteRecord>;

/** Undefined if the user cannot be asked. */
type Ask = ((question: string) => Promise<boolean>) | undefined;

/** Limits for notes, and their characters, that wait for an answer. Notes beyond are not imported. */
const maxHeld = { notes: 1_000, length: 16 * 1024 * 1024 };

/** Withholds notes that seem to contain secrets, unless the user agrees at the end. */
export class SecretGuard {
  readonly #printer: ImportPrinter;
  readonly #ask: Ask;
  readonly #withheld = new WeakSet<ReadRecord>();
  readonly #held: (readonly [NoteRecord, Withheld])[] = [];
  #length = 0;

  constructor(printer: ImportPrinter, ask: Ask) {
    this.#printer = printer;
    this.#ask = ask;
  }

  /** Whether this record is still withheld. */
  withholds(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  check(record: ReadRecord): ReadRecord | undefined {
    if (record.kind !== 'note') return record;
    const withheld = withheldOf(record);
    if (withheld === undefined) return record;
    this.#printer.printRecord(withheld);
    this.#withheld.add(record);
    this.#length += record.note.content.length;
    const isHeld = this.#ask && this.#held.length < maxHeld.notes && this.#length <= maxHeld.length;
    if (!isHeld) return withheld;
    this.#held.push([record, withheld]);
    return undefined;
  }

  async held(): Promise<readonly ReadRecord[]> {
    const question = `Store ${counted(this.#held.length)} that may hold secrets?`;
    const isTaken = this.#held.length > 0 && (await this.#ask?.(question)) === true;
    return this.#held.map(([record, withheld]) => {
      if (isTaken) this.#withheld.delete(record);
      return isTaken ? record : withheld;
    });
  }
}

function withheldOf({ location, note }: NoteRecord): Withheld | undefined {
  const kinds = secretsInNote(note);
  if (kinds.length === 0) return undefined;
  const name = secretsIn(note.title).length === 0 ? `${location}, “${note.title}”` : location;
  return { kind: 'withheld', location: name, reason: `It seems to hold ${kinds.join(' and ')}` };
}

/** Returns a prompt below the progress line, or undefined without a terminal. */
export function askerOf(io: Io, printer: ImportPrinter): Ask {
  if (!isInteractive(io)) return undefined;
  return async (question) => {
    const { confirm } = await import('../../terminal/ask.ts');
    printer.line.clear();
    return await confirm(question, io);
  };
}
