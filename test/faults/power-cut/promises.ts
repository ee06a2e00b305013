import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../../src/core/note.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { readIntegrityCheck } from '../database.ts';
import { isSameState, type Mark, parseState, type State } from './marks.ts';

/** What a database has to hold, by the marks of its clients so far. */
export class Promises {
  /** In the order in which they were sent. A client sends the next one after the answer to the last. */
  readonly #states = new Map<string, State[]>();
  /** How many of them have to be there. */
  readonly #due = new Map<string, number>();
  /** Each with the numbers of its states. */
  readonly #merges: (readonly (readonly [title: string, number: number])[])[] = [];
  readonly #maxVersions: number;

  constructor(maxVersions: number) {
    this.#maxVersions = maxVersions;
  }

  recordMark({ kind, states }: Mark): void {
    for (const state of states) {
      const sent = this.#states.getOrInsertComputed(state.title, () => []);
      if (kind === 'sent') sent.push(state);
      const number = kind === 'read' ? 1 + sent.findIndex((one) => isSameState(one, state)) : sent.length;
      if (number === 0) throw new Error(`A read showed what nobody sent: ${JSON.stringify(state)}`);
      if (kind !== 'sent') this.#due.set(state.title, Math.max(number, this.#due.get(state.title) ?? 0));
    }
    const numbers = states.map(({ title }) => [title, this.#states.get(title)?.length ?? 0] as const);
    if (kind === 'sent' && states.length > 1) this.#merges.push(numbers);
  }

  /** How the database in a folder breaks the promises, opened by the store. */
  async openAndFindBreaches(folder: string): Promise<readonly string[]> {
    const path = join(folder, 'notes.db');
    if (!existsSync(path)) return this.#due.size === 0 ? [] : ['the database is lost'];
    try {
      const { notes, versions } = await readNotesAndVersions(path, this.#maxVersions);
      const integrity = readIntegrityCheck(path);
      return [...(integrity === 'ok' ? [] : [integrity]), ...this.#findBreaches(notes, versions)];
    } catch (error) {
      return [`the database is lost: ${error}`];
    }
  }

  #findBreaches(notes: readonly Note[], versions: ReadonlyMap<number, readonly Note[]>): string[] {
    const byTitle = new Map(notes.map((note) => [note.title, note]));
    const numbers = new Map<string, number>();
    const breaches: string[] = [];
    for (const [title, states] of this.#states) {
      const note = byTitle.get(title);
      const number = note ? findLastStateNumberOrZero(states, note) : 0;
      const due = this.#due.get(title) ?? 0;
      numbers.set(title, number);
      if (number < due) breaches.push(`${title}: state ${due} is lost, there is ${number}`);
      if (note && number === 0) breaches.push(`${title}: nobody wrote ${note.content.slice(0, 40)}`);
      if (note && !this.#isHistoryWhole(states.slice(0, number), versions.get(note.id) ?? []))
        breaches.push(`${title}: the history of ${number} states is not whole`);
    }
    if (notes.length > byTitle.size || notes.some(({ title }) => !this.#states.has(title)))
      breaches.push('there are notes that nobody created');
    return [...breaches, ...this.#listPartialMerges(numbers)];
  }

  /** `numbers`: the number of the state that each note has, by title. */
  #listPartialMerges(numbers: ReadonlyMap<string, number>): readonly string[] {
    const inPart = this.#merges.filter(
      (merge) => new Set(merge.map(([title, number]) => (numbers.get(title) ?? 0) >= number)).size > 1,
    );
    return inPart.map((merge) => `${merge.join()} were merged in part`);
  }

  /** Whether the former states are there, newest first. One makes a version if the next one has another content. */
  #isHistoryWhole(states: readonly State[], versions: readonly Note[]): boolean {
    const kept = states.filter(({ version }, index) => version !== (states[index + 1]?.version ?? version));
    return Bun.deepEquals(kept.toReversed().slice(0, this.#maxVersions), versions.map(parseState));
  }
}

/** The number of the last state that equals the note, from 1; 0 if nobody wrote it. */
function findLastStateNumberOrZero(states: readonly State[], note: Note): number {
  const found = parseState(note);
  return 1 + states.findLastIndex((state) => isSameState(state, found));
}

async function readNotesAndVersions(path: string, maxVersions: number) {
  await using store = await openSqlite({ path, maxVersions });
  const versions = (await Array.fromAsync(store.streamAllVersionBatches())).flat();
  return { notes: await store.list(), versions: Map.groupBy(versions, ({ id }) => id) };
}
