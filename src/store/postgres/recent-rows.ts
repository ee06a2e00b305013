import type { PostgresNoteRow } from './recordset.ts';

/** About as many characters are remembered, and not more rows than this. */
const maxChars = 4 * 1024 * 1024;
const maxRows = 4_096;

/** The newest known states of notes, in memory: those that were added last. */
export class RecentRows {
  /** By id. The one that was added last is the last. */
  readonly #rows = new Map<number, PostgresNoteRow>();
  #chars = 0;
  /** No row of this time or an earlier one is added: a newer state of its note may have been forgotten. */
  #forgottenUpTo = Number.NEGATIVE_INFINITY;

  /** Adds what a note was written to, unless a newer state of it is known or was. */
  add(row: PostgresNoteRow): void {
    const known = this.#rows.get(Number(row.id));
    if (known === undefined || Number(row.updated_at) > Number(known.updated_at)) this.replace(row);
  }

  /** Adds what a note was read as, in place of what is known of it. */
  replace(row: PostgresNoteRow): void {
    const id = Number(row.id);
    this.#delete(id);
    if (Number(row.updated_at) <= this.#forgottenUpTo) return;
    this.#rows.set(id, row);
    this.#chars += countChars(row);
    this.#forgetFirstWhileTooMany();
  }

  /** Finds the newest known state of a note if it is not older than this time, in ms since 1970. */
  find(id: number, updatedAt: number): PostgresNoteRow | undefined {
    const row = this.#rows.get(id);
    return row !== undefined && Number(row.updated_at) >= updatedAt ? row : undefined;
  }

  #forgetFirstWhileTooMany(): void {
    for (const [id, row] of this.#rows) {
      if (this.#chars <= maxChars && this.#rows.size <= maxRows) return;
      this.#forgottenUpTo = Math.max(this.#forgottenUpTo, Number(row.updated_at));
      this.#delete(id);
    }
  }

  #delete(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#chars -= countChars(row);
    this.#rows.delete(id);
  }
}

const countChars = ({ title, content }: PostgresNoteRow): number => title.length + content.length;
