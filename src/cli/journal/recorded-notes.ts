import { unlessMissing } from '../../domain/error.ts';
import type { Note, NoteDraft, NotePatch, PortableNote } from '../../domain/note.ts';
import type { IfMatch, MergeOutcome, NoteOrigin, PortableStore } from '../../domain/store.ts';
import { hasSameFields } from '../../domain/versions.ts';
import { inTurns } from '../../shared/concurrency/in-turns.ts';
import { digest } from '../digest.ts';
import type { Write } from './journal.ts';

/** A store that records what is written, so that `notes undo` can undo it. */
export class RecordedNotes implements AsyncDisposable {
  readonly store: PortableStore;
  readonly #keep: (writes: readonly Write[]) => void;
  readonly #writes = new Map<number, Write>();
  /** Keys of notes merged without id; their ids are looked up at the end. */
  readonly #withoutId = new Set<string>();
  #isEmpty: boolean | undefined;

  constructor(store: PortableStore, keep: (writes: readonly Write[]) => void) {
    this.store = store;
    this.#keep = keep;
  }

  async create(draft: NoteDraft): Promise<Note> {
    const note = await this.store.create(draft);
    this.#addNew(note);
    return note;
  }

  /** Changes a note if it has not changed since it was read. Throws `conflict`. */
  async update(read: Pick<Note, 'id' | 'updatedAt'>, patch: NotePatch): Promise<Note> {
    const note = await this.store.update(read.id, patch, [read.updatedAt]);
    this.#add({ id: note.id, before: read.updatedAt, after: note.updatedAt });
    return note;
  }

  /** Archives or unarchives a note. */
  async setArchived(before: Pick<Note, 'id' | 'archived'>, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    const note = await this.store.setArchived(before.id, archived, ifMatch);
    const change = before.archived === archived ? {} : { archived: before.archived };
    this.#add({ id: note.id, ...change, after: note.updatedAt });
    return note;
  }

  scan(): AsyncIterable<readonly Note[]> {
    return this.store.scan();
  }

  get(id: number): Promise<Note> {
    return this.store.get(id);
  }

  origins(after: number): Promise<readonly NoteOrigin[] | undefined> {
    return this.store.origins(after);
  }

  history(id: number): AsyncIterable<readonly Note[]> {
    return this.store.history(id);
  }

  async merge(notes: readonly PortableNote[]): Promise<readonly MergeOutcome[]> {
    const present = await this.#replacedBy(notes);
    const outcomes = await this.store.merge(notes);
    for (const [at, note] of notes.entries()) this.#addMerged(note, outcomes[at], present);
    return outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using _ = this.store;
    await this.#findIds().catch(() => {}); // if the store fails, earlier writes can still be undone
    const writes = [...this.#writes.values()].filter(
      (write) => write.before !== undefined || write.archived !== undefined,
    );
    if (writes.length > 0) this.#keep(writes);
  }

  /** Returns the notes that a merge of these notes will replace. */
  async #replacedBy(notes: readonly PortableNote[]): Promise<ReadonlyMap<number, Note>> {
    const replaced = new Map<number, Note>();
    if (await this.#wasEmpty()) return replaced;
    const outcomes = await this.store.merge(notes, { dryRun: true });
    const ids = notes.flatMap(({ id }, at) => (id !== undefined && outcomes[at] === 'replaced' ? [id] : []));
    for await (const note of inTurns(ids, (id) => this.store.get(id).catch(unlessMissing))) {
      if (note !== undefined) replaced.set(note.id, note);
    }
    return replaced;
  }

  /** Whether the store was empty before the first merge. Then only notes added here can be replaced. */
  async #wasEmpty(): Promise<boolean> {
    if (this.#isEmpty !== undefined) return this.#isEmpty;
    this.#isEmpty = true;
    for await (const some of this.store.scan()) {
      this.#isEmpty = some.length === 0;
      if (!this.#isEmpty) break;
    }
    return this.#isEmpty;
  }

  #addMerged(note: PortableNote, outcome: MergeOutcome | undefined, present: ReadonlyMap<number, Note>): void {
    const { id, updatedAt: after } = note;
    if (outcome === 'added' && id === undefined) this.#withoutId.add(keyOf(note));
    if (id === undefined) return;
    if (outcome !== 'added' && outcome !== 'replaced') return;
    const before = present.get(id);
    if (before === undefined || this.#withoutId.has(keyOf(before))) {
      this.#addNew({ ...note, id }); // this import added it
      return;
    }
    const text = hasSameFields(before, note) ? {} : { before: before.updatedAt };
    this.#add({ id, ...text, ...(before.archived !== note.archived && { archived: before.archived }), after });
  }

  #addNew({ id, archived, updatedAt: after }: Pick<Note, 'id' | 'archived' | 'updatedAt'>): void {
    this.#add({ id, isNew: true, ...(!archived && { archived: true }), after });
  }

  async #findIds(): Promise<void> {
    if (this.#withoutId.size === 0) return;
    for await (const some of this.store.scan()) {
      for (const note of some) if (this.#withoutId.has(keyOf(note))) this.#addNew(note);
    }
  }

  /** Of several writes of a note, keeps the state before the first and the state after the last. */
  #add(write: Write): void {
    this.#writes.set(write.id, { ...write, ...this.#writes.get(write.id), after: write.after });
  }
}

/** Key that is unique among imported notes without id. */
const keyOf = ({ title, content, category, createdAt, updatedAt }: PortableNote): string =>
  digest(JSON.stringify([title, content, category, createdAt, updatedAt]));
