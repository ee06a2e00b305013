import type { Note, PortableNote } from '../../../domain/note.ts';
import type { MergeOutcome } from '../../../domain/store.ts';

/** A state of a note. Equal hashes mean equal texts. */
interface State {
  readonly updatedAt: string;
  readonly hash: string;
  /** Index among the merged notes; undefined for a stored state. */
  readonly index?: number;
}

/** The stored states of a note. */
export interface History {
  current?: State | undefined;
  /** Newest first. */
  versions: readonly State[];
}

/** A note to merge, with its outcome before versions are considered. */
export interface NoteWithOutcome {
  readonly note: PortableNote & Note;
  readonly index: number;
  readonly outcome: MergeOutcome;
}

export interface KeptVersions {
  /** Ids of notes whose stored state is kept as a version. */
  readonly stored: readonly number[];
  /** Indices of merged notes that are kept as versions. */
  readonly indexes: ReadonlySet<number>;
}

/** Processes the notes in order, as SQLite does. Updates `histories`, by id. */
export function versionsToKeep(
  notes: readonly NoteWithOutcome[],
  histories: ReadonlyMap<number, History>,
  max: number,
): KeptVersions {
  const before = new Map([...histories].map(([id, { current }]) => [id, current]));
  for (const { note, index, outcome } of notes) {
    const history = histories.get(note.id);
    if (history === undefined) continue;
    const state = { updatedAt: note.updatedAt, hash: textHash(note), index };
    if (outcome === 'newer') addOlder(history, state, max);
    if (outcome === 'replaced' && history.current?.hash !== state.hash) keepCurrent(history, max);
    if (outcome === 'added' || outcome === 'replaced') history.current = state;
  }
  const indexes = [...histories.values()].flatMap(({ versions }) => versions.flatMap(({ index }) => index ?? []));
  const stored = [...before].flatMap(([id, current]) =>
    current && histories.get(id)?.versions.includes(current) ? [id] : [],
  );
  return { stored, indexes: new Set(indexes) };
}

function keepCurrent(history: History, max: number): void {
  if (history.current) history.versions = [history.current, ...history.versions].slice(0, max);
}

/** Adds a version unless its time is taken or the next newer state has the same text. */
function addOlder(history: History, state: State, max: number): void {
  const newer = history.versions.filter(({ updatedAt }) => updatedAt >= state.updatedAt);
  const next = newer.at(-1) ?? history.current;
  if (next?.updatedAt === state.updatedAt || next?.hash === state.hash) return;
  history.versions = [...newer, state, ...history.versions.slice(newer.length)].slice(0, max);
}

/** Must match `hashOfTexts` in versions.ts. */
function textHash({ title, content, category, group, color }: PortableNote): string {
  const text = `${Buffer.byteLength(title)} ${title}${content} ${category} ${group} ${color}`;
  return Bun.CryptoHasher.hash('sha256', text, 'hex');
}
