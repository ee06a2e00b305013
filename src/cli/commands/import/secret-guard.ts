import { findSecretKinds, findSecretKindsInNote, findSecretValuesInNote } from '../../../core/secrets.ts';
import { formatNoteCount } from '../../../core/text/format-counts.ts';
import type { NoteRecord, ReadRecord, SkippedRecord } from '../../../formats/record.ts';
import { canPrompt, type Io } from '../../io.ts';
import type { ImportPrinter } from './import-printer.ts';

/** Asks the user to confirm; undefined if nobody can be asked. */
type ConfirmSecrets = ((question: string) => Promise<boolean>) | undefined;

type RecordPrinter = Pick<ImportPrinter, 'reportUnimportedRecord'>;

/** Limits for notes, and their characters, that wait for the user's decision. Notes beyond are not imported. */
const maxUndecided = { notes: 1_000, length: 16 * 1024 * 1024 };

/** Withholds notes that seem to contain secrets, unless the user agrees at the end. */
export class SecretGuard {
  readonly #printer: RecordPrinter;
  readonly #confirm: ConfirmSecrets;
  readonly #ignored: ReadonlySet<string>;
  readonly #withheld = new WeakSet<ReadRecord>();
  readonly #held: (readonly [NoteRecord, SkippedRecord])[] = [];
  #length = 0;

  /** `ignored`: hashes of suspicions that the user has dismissed. */
  constructor(printer: RecordPrinter, confirm: ConfirmSecrets, ignored: ReadonlySet<string>) {
    this.#printer = printer;
    this.#confirm = confirm;
    this.#ignored = ignored;
  }

  /** Whether this record is still withheld. */
  isRecordWithheld(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  /** Yields the records that may be stored, and the reports on the others: those on held ones at the end. */
  async *streamRecordsAndConfirmSecrets(records: AsyncIterable<ReadRecord>): AsyncGenerator<ReadRecord, void, void> {
    for await (const record of records) {
      const withheld = record.kind === 'note' ? createWithheldRecordIfSecret(record, this.#ignored) : undefined;
      if (record.kind !== 'note' || withheld === undefined) {
        yield record;
        continue;
      }
      this.#withholdAndReport(record, withheld);
      if (!this.#tryHold(record, withheld)) yield withheld;
    }
    yield* await this.#confirmHeldRecords();
  }

  #withholdAndReport(record: NoteRecord, withheld: SkippedRecord): void {
    this.#printer.reportUnimportedRecord(withheld);
    this.#withheld.add(record);
  }

  /** Holds a record until the user decides. Returns false if nobody can be asked, or if too much is held already. */
  #tryHold(record: NoteRecord, withheld: SkippedRecord): boolean {
    this.#length += record.note.content.length;
    if (this.#confirm === undefined) return false;
    if (this.#held.length >= maxUndecided.notes || this.#length > maxUndecided.length) return false;
    this.#held.push([record, withheld]);
    return true;
  }

  /** Asks about the notes that are held, and returns them, or the reports instead of them. */
  async #confirmHeldRecords(): Promise<readonly ReadRecord[]> {
    const question = `Store ${formatNoteCount(this.#held.length)} that may hold secrets?`;
    const isConfirmed = this.#held.length > 0 && (await this.#confirm?.(question)) === true;
    return this.#held.map(([record, withheld]) => {
      if (isConfirmed) this.#withheld.delete(record);
      return isConfirmed ? record : withheld;
    });
  }
}

/** Returns the report on a record that seems to contain secrets, unless the user has dismissed this suspicion. */
function createWithheldRecordIfSecret(
  { location, note }: NoteRecord,
  ignored: ReadonlySet<string>,
): SkippedRecord | undefined {
  const kinds = findSecretKindsInNote(note);
  if (kinds.length === 0) return undefined;
  const hash = hashSecretValuesTogether(findSecretValuesInNote(note));
  if (ignored.has(hash)) return undefined;
  const name = findSecretKinds(note.title).length === 0 ? `${location}, “${note.title}”` : location;
  return {
    kind: 'withheld',
    location: name,
    reason: `It seems to hold ${kinds.join(' and ')}. If not, --ignore ${hash}`,
  };
}

/** Identifies the apparent secrets of a note, whatever else changes in it. */
const hashSecretValuesTogether = (values: readonly string[]): string =>
  Bun.CryptoHasher.hash('sha256', JSON.stringify(values.toSorted()), 'hex').slice(0, 12);

/** Returns a prompt below the progress line, or undefined without a terminal. */
export function createSecretConfirmationIfInteractive(io: Io, printer: ImportPrinter): ConfirmSecrets {
  if (!canPrompt(io)) return undefined;
  return async (question) => {
    const { confirmQuestion } = await import('../../terminal/prompt.ts');
    printer.line.clear();
    return await confirmQuestion(question, io);
  };
}
