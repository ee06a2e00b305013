import { rethrowUnlessNotFound } from '../core/error.ts';
import type { Origin } from '../core/note.ts';
import type { NoteOrigin, PortableStore } from '../core/store.ts';
import { hasSameDraftFields, isStateInStoredHistory } from '../core/versions.ts';
import { canHash, createNoteFingerprint, streamOriginBatches } from './origin.ts';
import { createVersionOfOlderState, isOutdatedSourceState, type Known } from './plan-record.ts';
import type { NoteRecord } from './record.ts';

type Origins = Pick<PortableStore, 'readOriginsPage' | 'get' | 'history'>;

/** Knows the origins of the stored notes during one import, and which of them have occurred in it. */
export class KnownOrigins {
  readonly #store: Origins;
  readonly #isOfOtherSource: (key: string) => boolean;
  readonly #seen = new Set<string>();
  #byKey = new Map<string, NoteOrigin>();
  #byId = new Map<number, NoteOrigin>();
  #isLoadedAndSupported: boolean | undefined;

  /** `isOfOtherSource` says whether a source outside this import has an origin. */
  constructor(store: Origins, isOfOtherSource = (_: string) => false) {
    this.#store = store;
    this.#isOfOtherSource = isOfOtherSource;
  }

  /** Loads the origins from the store at the first call, and does nothing later. */
  async loadAllOriginsOnce(): Promise<void> {
    if (this.#isLoadedAndSupported === undefined) await this.loadAllOrigins();
  }

  /** Whether the store has origins, and their hashes can be computed. False until they are loaded. */
  get isLoadedAndSupported(): boolean {
    return this.#isLoadedAndSupported === true;
  }

  /** Remembers the key of an origin that occurs in this import. Returns true at its first occurrence. */
  rememberKeyAndCheckFirst(key: string): boolean {
    return this.#seen.size < this.#seen.add(key).size;
  }

  hasOriginWithKey(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Finds the id of the stored note with this origin, if the origins are loaded. */
  findNoteId(key: string | undefined): number | undefined {
    return key === undefined ? undefined : this.#byKey.get(key)?.id;
  }

  /**
   * Loads all origins from the store. Loads nothing where hashes cannot be computed, as origins are compared by hashes.
   */
  async loadAllOrigins(): Promise<void> {
    this.#isLoadedAndSupported = false;
    if (!canHash) return;
    const all = (await Array.fromAsync(streamOriginBatches(this.#store))).flat();
    this.#byKey = new Map(all.map((one) => [one.key, one]));
    this.#byId = new Map(all.map((one) => [one.id, one]));
    this.#isLoadedAndSupported = all.length > 0 || (await this.#store.readOriginsPage(0)) !== undefined;
  }

  /** Sets the origin that the store has for a note from now on. */
  rememberOrigin(id: number, origin: Origin): void {
    const one = { ...origin, id };
    this.#byKey.set(origin.key, one);
    this.#byId.set(id, one);
  }

  /** Sets the fingerprint of a source, if the store has it for this note. */
  rememberOriginIfOwned(id: number, origin: Origin): void {
    if (this.#byKey.get(origin.key)?.id === id) this.rememberOrigin(id, origin);
  }

  /** Reads what the store has of the source with this origin. Undefined if the store has no note of the source. */
  async readKnownSourceIfPresent(record: NoteRecord, origin: Origin): Promise<Known | undefined> {
    const last = this.#byKey.get(origin.key);
    if (last === undefined) return undefined;
    const lastFingerprint = last.taken;
    if (lastFingerprint === origin.taken) return { origin, lastFingerprint };
    const note = await this.#store.get(last.id).catch(rethrowUnlessNotFound);
    if (note === undefined) return undefined;
    const version = createVersionOfOlderState(note, record.note);
    const isOlder = record.isDated && isOutdatedSourceState(record.note, note, lastFingerprint);
    const isRecordStored =
      isOlder === true && (hasSameDraftFields(note, version) || (await isStateInStoredHistory(this.#store, version)));
    const noteFingerprint = await createNoteFingerprint(note);
    return { origin, lastFingerprint, source: { storedNote: note, noteFingerprint, isRecordStored } };
  }

  /**
   * Whether a note may get another origin. The note may not if its present origin is still in use: the key of this
   * origin has occurred in this import, or a source outside this import has the key.
   *
   * Example: `a.md` was imported as note 7, and is called `b.md` now. Note 7 may get the origin of `b.md`, as `a.md` is
   * no more. If `b.md` is a copy beside `a.md`, note 7 stays the note of `a.md`.
   */
  canReplaceOriginOfNote(id: number): boolean {
    const origin = this.#byId.get(id);
    return origin === undefined || !(this.#seen.has(origin.key) || this.#isOfOtherSource(origin.key));
  }
}
