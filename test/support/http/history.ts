import type { Note } from '../../../src/core/note.ts';

/** What a write makes of a note. */
export interface State {
  readonly content: string;
  readonly archived: boolean;
}

/**
 * `invoked`: sent; `ok`: answered with the note; `failed`: certainly not stored; `unknown`: may be stored.
 */
export type Outcome = 'invoked' | 'ok' | 'failed' | 'unknown';

/** A write as its client saw it; the first of a title is the create. */
export class WriteAttempt {
  readonly title: string;
  readonly state: State;
  outcome: Outcome = 'invoked';
  note: Note | undefined;
  /** The time of its `ok`, by `performance.now()`. */
  okAt = Number.POSITIVE_INFINITY;

  constructor(title: string, state: State) {
    this.title = title;
    this.state = state;
  }

  recordSuccess(note: Note): void {
    this.outcome = 'ok';
    this.note = note;
    this.okAt = performance.now();
  }
}

const hasState = (note: Note, { content, archived }: State) => note.content === content && note.archived === archived;

/** Contents of earlier versions by note id, oldest first. */
export type Versions = ReadonlyMap<number, readonly string[]>;

/**
 * All writes to a set of notes, and what a list may therefore show. Each note has a unique title and a single client,
 * which writes sequentially.
 */
export class WriteHistory {
  #attempts = new Map<string, WriteAttempt[]>();
  /** By title, contents of the versions at the last `settle`. */
  #settledVersions = new Map<string, readonly string[]>();

  /** Call before the write is sent. */
  recordWriteBegin(title: string, state: State): WriteAttempt {
    const attempt = new WriteAttempt(title, state);
    const earlier = this.#attempts.get(title);
    if (earlier) earlier.push(attempt);
    else this.#attempts.set(title, [attempt]);
    return attempt;
  }

  /**
   * How a list of all notes, read while nothing was written, contradicts what the clients saw; empty if it fits.
   * A copy started at `asOf` may lack later acknowledged writes. `versions`, if given, must contain each replaced
   * content and no other.
   */
  listContradictions(listed: readonly Note[], asOf = Number.POSITIVE_INFINITY, versions?: Versions): string[] {
    const byTitle = Map.groupBy(listed, (note) => note.title);
    const unsent = [...byTitle.keys()].filter((title) => !this.#attempts.has(title));
    return [
      ...unsent.map((title) => `${title} is listed and was never sent`),
      ...listUnorderedNotes(listed).map((note) => `${note.title} is listed out of order, under id ${note.id}`),
      ...[...this.#attempts].flatMap(([title, attempts]) =>
        listNoteContradictions(attempts, byTitle.get(title) ?? [], asOf).map(
          (contradiction) => `${title} ${contradiction}`,
        ),
      ),
      ...(versions
        ? listed.flatMap((note) => this.#listVersionContradictions(note, versions.get(note.id) ?? [], asOf))
        : []),
    ];
  }

  #listVersionContradictions({ title, content }: Note, versions: readonly string[], asOf: number): string[] {
    const settled = this.#settledVersions.get(title) ?? [];
    const attempts = this.#attempts.get(title) ?? [];
    const present = attempts.findLastIndex(({ state }) => state.content === content);
    const replaced = attempts.slice(0, present).filter(({ state }) => state.content !== content);
    const sent = new Set([...settled, ...replaced.map(({ state }) => state.content)]);
    const acknowledged = replaced.filter(({ outcome, okAt }) => outcome === 'ok' && okAt <= asOf);
    const due = new Set([...settled, ...acknowledged.map(({ state }) => state.content)]);
    const missing = [...due].slice(-100).filter((one) => !versions.includes(one));
    const strange = versions.filter((version) => !sent.has(version));
    return [
      ...missing.map((one) => `${title} was replaced and its version is lost: ${one.slice(0, 10)}`),
      ...strange.map((one) => `${title} has a version that no write has replaced: ${one.slice(0, 10)}`),
    ];
  }

  /** Takes a fitting list as the known state: resolves the outcome of unknown writes. */
  adoptListAsKnownState(listed: readonly Note[], versions: Versions = new Map()): void {
    this.#settledVersions = new Map(listed.map(({ id, title }) => [title, versions.get(id) ?? []]));
    const settled = new Map<string, WriteAttempt[]>();
    const byTitle = new Map(listed.map((note) => [note.title, note]));
    for (const [title, attempts] of this.#attempts) {
      const note = byTitle.get(title);
      const [create] = attempts;
      if (note === undefined && create) create.outcome = 'failed';
      const known = new WriteAttempt(title, note ?? { content: '', archived: false });
      if (note) known.recordSuccess(note);
      settled.set(title, note === undefined ? attempts.slice(0, 1) : [known]);
    }
    this.#attempts = settled;
  }
}

const listUnorderedNotes = (listed: readonly Note[]) =>
  listed.filter((note, index) => note.id <= (listed[index - 1]?.id ?? 0));

/** The contradictions between the writes of one note and how it is listed. */
function listNoteContradictions(attempts: readonly WriteAttempt[], listed: readonly Note[], asOf: number): string[] {
  const [note, ...more] = listed;
  if (more.length > 0) return [`is listed ${listed.length} times`];
  const acknowledged = attempts.filter((attempt) => attempt.outcome === 'ok' && attempt.okAt <= asOf);
  const last = acknowledged.at(-1);
  if (note === undefined) return last ? ['was acknowledged and is lost'] : [];
  const possible = attempts.slice(last ? attempts.indexOf(last) : 0).filter((attempt) => attempt.outcome !== 'failed');
  if (possible.length === 0) return ['is listed although its create failed'];
  if (!possible.some((attempt) => hasState(note, attempt.state))) {
    return ['is in a state that is neither the last acknowledged one nor a later one'];
  }
  return [...listAnswerContradictions(acknowledged), ...listFieldContradictions(last?.note, note)];
}

/** Of the answers themselves: each write was answered with its own result, later than the one before. */
function listAnswerContradictions(acknowledged: readonly WriteAttempt[]): string[] {
  return acknowledged.flatMap(({ note, state }, index) => {
    if (note === undefined || !hasState(note, state)) return ['was answered with another state than written'];
    const before = acknowledged[index - 1]?.note;
    return before && before.updatedAt >= note.updatedAt ? ['was written again and updatedAt did not rise'] : [];
  });
}

function listFieldContradictions(answered: Note | undefined, { id, createdAt, updatedAt }: Note): string[] {
  if (answered === undefined) return [];
  if (answered.id !== id) return [`was answered with id ${answered.id} and is listed under ${id}`];
  if (answered.createdAt !== createdAt) return ['has another createdAt than answered'];
  return answered.updatedAt > updatedAt ? ['is older than answered'] : [];
}
