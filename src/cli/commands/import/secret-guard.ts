import { findSecretKinds, findSecretKindsInNote, findSecretValuesInNote } from '../../../core/secrets.ts';
import { formatNoteCount } from '../../../core/text/format-counts.ts';
import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { type Io, isInteractive } from '../../io.ts';
import type { ImportPrinter } from './import-printer.ts';

type Withheld = Exclude<ReadRecord, NoteRecord>;

/** Asks the user to confirm; undefined if nobody can be asked. */
type ConfirmSecrets = ((question: string) => Promise<boolean>) | undefined;

type RecordPrinter = Pick<ImportPrinter, 'printOrTallyRecord'>;

/** Limits for notes, and their characters, that wait for the user's decision. Notes beyond are not imported. */
const maxUndecided = { notes: 1_000, length: 16 * 1024 * 1024 };

/** Withholds notes that seem to contain secrets, unless the user agrees at the end. */
export class SecretGuard {
  readonly #printer: RecordPrinter;
  readonly #confirm: ConfirmSecrets;
  readonly #ignored: ReadonlySet<string>;
  readonly #withheld = new WeakSet<ReadRecord>();
  readonly #held: (readonly [NoteRecord, Withheld])[] = [];
  #length = 0;

  /** `ignored`: hashes of suspicions that the user has dismissed. */
  constructor(printer: RecordPrinter, confirm: ConfirmSecrets, ignored: ReadonlySet<string>) {
    this.#printer = printer;
    this.#confirm = confirm;
    this.#ignored = ignored;
  }

  /** Whether this record is still withheld. */
  isWithheld(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  /** Returns the record, or the report instead of it; undefined while the note waits for the user's decision. */
  withholdAndPrintIfSecret(record: ReadRecord): ReadRecord | undefined {
    if (record.kind !== 'note') return record;
    const withheld = createWithheldRecord(record, this.#ignored);
    if (withheld === undefined) return record;
    this.#printer.printOrTallyRecord(withheld);
    this.#withheld.add(record);
    this.#length += record.note.content.length;
    const isHeld = this.#confirm && this.#held.length < maxUndecided.notes && this.#length <= maxUndecided.length;
    if (!isHeld) return withheld;
    this.#held.push([record, withheld]);
    return undefined;
  }

  /** Yields the records that may be stored, and the reports on the others: those on held ones at the end. */
  async *filterRecords(records: AsyncIterable<ReadRecord>): AsyncGenerator<ReadRecord, void, void> {
    for await (const read of records) {
      const record = this.withholdAndPrintIfSecret(read);
      if (record !== undefined) yield record;
    }
    yield* await this.confirmAndReleaseWithheld();
  }

  /** Asks about the notes that wait, and returns them, or the reports instead of them. */
  async confirmAndReleaseWithheld(): Promise<readonly ReadRecord[]> {
    const question = `Store ${formatNoteCount(this.#held.length)} that may hold secrets?`;
    const isConfirmed = this.#held.length > 0 && (await this.#confirm?.(question)) === true;
    return this.#held.map(([record, withheld]) => {
      if (isConfirmed) this.#withheld.delete(record);
      return isConfirmed ? record : withheld;
    });
  }
}

function createWithheldRecord({ location, note }: NoteRecord, ignored: ReadonlySet<string>): Withheld | undefined {
  const kinds = findSecretKindsInNote(note);
  if (kinds.length === 0) return undefined;
  const hash = hashSecrets(findSecretValuesInNote(note));
  if (ignored.has(hash)) return undefined;
  const name = findSecretKinds(note.title).length === 0 ? `${location}, “${note.title}”` : location;
  return {
    kind: 'withheld',
    location: name,
    reason: `It seems to hold ${kinds.join(' and ')}. If not, --ignore ${hash}`,
  };
}

/** Identifies the apparent secrets of a note, whatever else changes in it. */
const hashSecrets = (values: readonly string[]): string =>
  Bun.CryptoHasher.hash('sha256', JSON.stringify(values.toSorted()), 'hex').slice(0, 12);

/** Returns a prompt below the progress line, or undefined without a terminal. */
export function createSecretConfirmation(io: Io, printer: ImportPrinter): ConfirmSecrets {
  if (!isInteractive(io)) return undefined;
  return async (question) => {
    const { confirmQuestion } = await import('../../terminal/prompt.ts');
    printer.line.clear();
    return await confirmQuestion(question, io);
  };
}
