import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '../../../config.ts';
import { secretsIn, secretsInNote, secretValuesIn } from '../../../core/tools/secrets.ts';
import { counted } from '../../../core/tools/text.ts';
import type { NoteRecord, ReadRecord } from '../../../formats/record.ts';
import { keepState, stateFolder } from '../../files.ts';
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
  readonly #ignored: ReadonlySet<string>;
  readonly #withheld = new WeakSet<ReadRecord>();
  readonly #held: (readonly [NoteRecord, Withheld])[] = [];
  #length = 0;

  /** `ignored`: hashes of suspicions that the user has dismissed. */
  constructor(printer: ImportPrinter, ask: Ask, ignored: ReadonlySet<string>) {
    this.#printer = printer;
    this.#ask = ask;
    this.#ignored = ignored;
  }

  /** Whether this record is still withheld. */
  withholds(record: ReadRecord): boolean {
    return this.#withheld.has(record);
  }

  check(record: ReadRecord): ReadRecord | undefined {
    if (record.kind !== 'note') return record;
    const withheld = withheldOf(record, this.#ignored);
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

function withheldOf({ location, note }: NoteRecord, ignored: ReadonlySet<string>): Withheld | undefined {
  const kinds = secretsInNote(note);
  if (kinds.length === 0) return undefined;
  const hash = hashOf(secretValuesIn(note));
  if (ignored.has(hash)) return undefined;
  const name = secretsIn(note.title).length === 0 ? `${location}, “${note.title}”` : location;
  return {
    kind: 'withheld',
    location: name,
    reason: `It seems to hold ${kinds.join(' and ')}. If not, --ignore ${hash}`,
  };
}

/** Identifies the apparent secrets of a note, whatever else changes in it. */
const hashOf = (values: readonly string[]): string =>
  Bun.CryptoHasher.hash('sha256', JSON.stringify(values.toSorted()), 'hex').slice(0, 12);

/**
 * The hashes of suspicions that the user has dismissed, now or earlier, a line each in `ignored-secrets` of the state
 * folder. Keeps new ones, unless it is a dry run. Throws errors of the file system.
 */
export async function ignoredSecrets(
  env: Environment,
  given: readonly string[] = [],
  isDryRun = false,
): Promise<ReadonlySet<string>> {
  const path = stateFolder(env, 'ignored-secrets');
  const known = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const all = new Set([...known, ...given]);
  if (path !== undefined && !isDryRun && all.size > known.length) await keepState(path, `${[...all].join('\n')}\n`);
  return all;
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
