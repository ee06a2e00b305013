import type { PortableNote } from '../../../domain/note.ts';
import type { MergeOutcome } from '../../../domain/store.ts';

/** A note at one moment: two with one hash have the same text. */
interface State {
  readonly updatedAt: string;
  readonly hash: string;
  /** Its place among the notes that are merged; undefined for what is stored. */
  readonly place?: number;
}

/** What is stored of a note. */
export interface History {
  current?: State | undefined;
  /** The newest first. */
  versions: readonly State[];
}

/** A note that is merged, and what becomes of it as long as no version is thought of. */
export interface Judged {
  readonly note: PortableNote & { readonly id: number };
  readonly place: number;
  readonly outcome: MergeOutcome;
}

/** What is to be kept as versions, and which notes that are older than what is there are among it. */
export interface KeptVersions {
  /** Notes whose stored state is kept. */
  readonly stored: readonly number[];
  /** Of notes that are merged, their places. */
  readonly places: ReadonlySet<number>;
}

/** Takes the notes one after the other, as SQLite does, and changes `histories`, by id, on the way. */
export function keptVersions(
  notes: readonly Judged[],
  histories: ReadonlyMap<number, History>,
  max: number,
): KeptVersions {
  const before = new Map([...histories].map(([id, { current }]) => [id, current]));
  for (const { note, place, outcome } of notes) {
    const history = histories.get(note.id);
    if (history === undefined) continue;
    const state = { updatedAt: note.updatedAt, hash: textHash(note), place };
    if (outcome === 'newer') addOlder(history, state, max);
    if (outcome === 'replaced' && history.current?.hash !== state.hash) keepCurrent(history, max);
    if (outcome === 'added' || outcome === 'replaced') history.current = state;
  }
  const places = [...histories.values()].flatMap(({ versions }) => versions.flatMap(({ place }) => place ?? []));
  const stored = [...before].flatMap(([id, current]) =>
    current && histories.get(id)?.versions.includes(current) ? [id] : [],
  );
  return { stored, places: new Set(places) };
}

function keepCurrent(history: History, max: number): void {
  if (history.current) history.versions = [history.current, ...history.versions].slice(0, max);
}

/** Where neither its moment is known nor the state that followed it has the same text. */
function addOlder(history: History, state: State, max: number): void {
  const newer = history.versions.filter(({ updatedAt }) => updatedAt >= state.updatedAt);
  const next = newer.at(-1) ?? history.current;
  if (next?.updatedAt === state.updatedAt || next?.hash === state.hash) return;
  history.versions = [...newer, state, ...history.versions.slice(newer.length)].slice(0, max);
}

/** As `hashOfTexts` in versions.ts has the database compute it. */
function textHash({ title, content, category, group, color }: PortableNote): string {
  const text = `${Buffer.byteLength(title)} ${title}${content} ${category} ${group} ${color}`;
  return Bun.CryptoHasher.hash('sha256', text, 'hex');
}
