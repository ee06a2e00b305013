import type { Note } from '../src/domain/note.ts';

/** What a write makes of a note. */
export interface State {
  readonly content: string;
  readonly archived: boolean;
}

/**
 * What became of a write: `invoked` it was sent; `ok` it was answered with the note; `failed` it certainly did not
 * happen; `unknown` it may have happened.
 */
export type Outcome = 'invoked' | 'ok' | 'failed' | 'unknown';

/** One write as its client saw it; the first one of a title is the create. */
export class Attempt {
  readonly title: string;
  readonly state: State;
  outcome: Outcome = 'invoked';
  note: Note | undefined;

  constructor(title: string, state: State) {
    this.title = title;
    this.state = state;
  }

  ok(note: Note): void {
    this.outcome = 'ok';
    this.note = note;
  }
}

const shows = (note: Note, { content, archived }: State) => note.content === content && note.archived === archived;

/**
 * Every write to a set of notes, each of which has a title of its own and one client that writes one thing after the
 * other, and what a list may therefore show.
 */
export class History {
  #attempts = new Map<string, Attempt[]>();

  /** Call before the write is sent. */
  invoke(title: string, state: State): Attempt {
    const attempt = new Attempt(title, state);
    const earlier = this.#attempts.get(title);
    if (earlier) earlier.push(attempt);
    else this.#attempts.set(title, [attempt]);
    return attempt;
  }

  /** How a list of all notes, read while nothing was written, contradicts what the clients saw; empty when it fits. */
  contradictions(listed: readonly Note[]): string[] {
    const byTitle = Map.groupBy(listed, (note) => note.title);
    const unsent = [...byTitle.keys()].filter((title) => !this.#attempts.has(title));
    return [
      ...unsent.map((title) => `${title} is listed and was never sent`),
      ...unordered(listed).map((note) => `${note.title} is listed out of order, under id ${note.id}`),
      ...[...this.#attempts].flatMap(([title, attempts]) =>
        contradictionsOf(title, attempts, byTitle.get(title) ?? []),
      ),
    ];
  }

  /** Takes a list that fits as what is known from now on: what was unknown has happened or never will. */
  settle(listed: readonly Note[]): void {
    const settled = new Map<string, Attempt[]>();
    const byTitle = new Map(listed.map((note) => [note.title, note]));
    for (const [title, attempts] of this.#attempts) {
      const note = byTitle.get(title);
      const [create] = attempts;
      if (note === undefined && create) create.outcome = 'failed';
      const known = new Attempt(title, note ?? { content: '', archived: false });
      if (note) known.ok(note);
      settled.set(title, note === undefined ? attempts.slice(0, 1) : [known]);
    }
    this.#attempts = settled;
  }
}

const unordered = (listed: readonly Note[]) => listed.filter((note, index) => note.id <= (listed[index - 1]?.id ?? 0));

function contradictionsOf(title: string, attempts: readonly Attempt[], listed: readonly Note[]): string[] {
  const [note, ...more] = listed;
  if (more.length > 0) return [`${title} is listed ${listed.length} times`];
  const acknowledged = attempts.filter((attempt) => attempt.outcome === 'ok');
  const last = acknowledged.at(-1);
  if (note === undefined) return last ? [`${title} was acknowledged and is lost`] : [];
  const possible = attempts.slice(last ? attempts.indexOf(last) : 0).filter((attempt) => attempt.outcome !== 'failed');
  if (possible.length === 0) return [`${title} is listed although its create failed`];
  if (!possible.some((attempt) => shows(note, attempt.state))) {
    return [`${title} is in a state that is neither the last acknowledged one nor a later one`];
  }
  return [...answerContradictions(acknowledged), ...contradictionsWith(last?.note, note)];
}

/** Of the answers themselves: each write was answered with its own result, later than the one before. */
function answerContradictions(acknowledged: readonly Attempt[]): string[] {
  return acknowledged.flatMap(({ title, note, state }, index) => {
    if (note === undefined || !shows(note, state)) return [`${title} was answered with another state than written`];
    const before = acknowledged[index - 1]?.note;
    if (before && before.updatedAt >= note.updatedAt) return [`${title} was written again and updatedAt did not rise`];
    return [];
  });
}

function contradictionsWith(answered: Note | undefined, listed: Note): string[] {
  if (answered === undefined) return [];
  const { title, id, createdAt, updatedAt } = listed;
  if (answered.id !== id) return [`${title} was answered with id ${answered.id} and is listed under ${id}`];
  if (answered.createdAt !== createdAt) return [`${title} has another createdAt than answered`];
  if (answered.updatedAt > updatedAt) return [`${title} is older than answered`];
  return [];
}
