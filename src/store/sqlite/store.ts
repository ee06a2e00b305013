import { dirname } from 'node:path';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { KeptNote, Note, NoteDraft, NoteFilter, NotePatch } from '../../domain/note.ts';
import { jsonOf } from '../../domain/note.ts';
import type { EngineStats, IfMatch, JsonList, MergeOutcome, NoteEngine } from '../../domain/store.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import type { Outcome, Write } from '../engine.ts';
import { keyOf, ListCache } from '../list-cache.ts';
import { isStored, whileBusy } from '../merge.ts';
import { type Slot, Slots } from '../slots.ts';
import { spool } from '../spool.ts';
import type { DatabaseOptions } from './database.ts';
import { failureOf, lost, noteErrorOf } from './failure.ts';
import { receivedError, type SentEffect } from './orders.ts';
import { Reader, type Rows } from './reader.ts';
import { type NoteRow, newNote, noteOf } from './row.ts';
import { WriterThread } from './writer-thread.ts';

/** What a store needs from those who open it. */
export interface StoreContext {
  /** ms since 1970. */
  readonly now: () => number;
  readonly onCommit: CommitObserver;
  /** Called once when what is on disk is no longer certain: the process should stop. */
  readonly onLost: (error: unknown) => void;
  /** Called with the path of the copy that is made before the schema of a file with notes changes. */
  readonly onCopied: (copy: string) => void;
  /** Most memory that ready-made lists may take; 0 keeps none. */
  readonly cacheBytes: number;
}

/** How long a slow reader may hold a snapshot, in ms, before the rest of its list goes to a file. */
const mostHeldMs = 2_000;

/** How many long lists may hold a snapshot at once, and how long another one waits for its turn, in ms. */
const snapshots = 16;
const snapshotWaitMs = 30_000;

/** How long a merge waits for another program that holds the database, in ms. */
const mergeWaitMs = 5_000;

/**
 * How long a list that is kept is answered without a look at what other programs have committed, in ms; and how long
 * while that look is under way.
 */
const freshMs = 2;
const staleMs = 8;

/** How long the thread may take to say that the store is sound, in ms. */
const checkMs = 5_000;

/** Up to about this many characters a list is answered in one piece although it is not kept; a longer one in chunks. */
const wholeLength = 1024 * 1024;
const chunkLength = 128 * 1024;

/** The beginning of a list, as its snapshot has it. */
interface Begun {
  readonly head: readonly NoteRow[];
  /** What follows; undefined when there is no more. */
  readonly rest: Rows | undefined;
  /** Whether it is what the store knows, without what another program may just have committed. */
  readonly isCurrent: boolean;
}

/**
 * Notes in a SQLite file. One thread writes, this one answers. A write counts from the moment when its result is received:
 * that is when cached lists change and it is answered. Everything else is read in between, by the same thread in its turn
 * or while no commit is under way, so that nobody sees a write before it counts or misses one that does.
 */
export class SqliteStore implements NoteEngine {
  readonly #context: StoreContext;
  readonly #thread: WriterThread;
  readonly #queue: CommitQueue;
  readonly #cache: ListCache;
  readonly #slots = new Slots(snapshots, snapshotWaitMs);
  readonly #session = crypto.randomUUID().slice(0, 8);
  #location = '';
  #path = '';
  #reader: Reader | undefined;
  /** How many commits of ours have counted. */
  #commits = 0;
  /** Another one whenever all cached lists were forgotten. */
  #generation = 0;
  #unsure = 0;
  #merges = 0;
  /** All that other programs had committed at that moment is known, by `performance.now()`. */
  #seenAt = 0;
  #looking: Promise<void> | undefined;
  /** By the key of the filter, lists that are being read and may be short. */
  readonly #reading = new Map<number, Promise<JsonList>>();
  /** Why the store refuses to work: it has been closed, or what is on disk is no longer certain. */
  #refusal: NoteError | undefined;

  private constructor(context: StoreContext) {
    this.#context = context;
    this.#cache = new ListCache(context.cacheBytes);
    this.#thread = new WriterThread({
      onForeignCommit: () => this.#forgetLists(),
      onLost: (error) => this.#lose(error),
    });
    const engine = { commit: (writes: readonly Write[]) => this.#commit(writes) };
    this.#queue = new CommitQueue(engine, context.onCommit, { concurrent: 2 });
  }

  /** Throws `NoteError`, saying what to do, when the file cannot be used. */
  static async open(options: DatabaseOptions, context: StoreContext): Promise<SqliteStore> {
    const store = new SqliteStore(context);
    try {
      const { path, copy } = await store.#thread.ask<'open'>({ kind: 'open', options });
      store.#path = path;
      store.#location = `sqlite:${options.path === ':memory:' ? options.path : path}`;
      store.#reader = new Reader(path);
      if (copy !== undefined) context.onCopied(copy);
      return store;
    } catch (error) {
      store.#thread[Symbol.dispose]();
      throw error;
    }
  }

  get location(): string {
    return this.#location;
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#queue.submit({ kind: 'create', draft });
  }

  async get(id: number): Promise<Note> {
    this.#refuseIfLost();
    const note = await this.#thread.ask<'get'>({ kind: 'get', id });
    if (note === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return note;
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    const notes: Note[] = [];
    for await (const some of this.scan(filter)) notes.push(...some);
    return notes;
  }

  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change: patch, ...(ifMatch && { ifMatch }) });
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change: { archived }, ...(ifMatch && { ifMatch }) });
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    const { head, rest } = await this.#beginToRead(filter, chunkLength, (begun) => begun);
    try {
      yield head.map(noteOf);
      for (let rows = rest && this.#next(rest); rows?.length; rows = rest && this.#next(rest)) yield rows.map(noteOf);
    } finally {
      rest?.return();
    }
  }

  async merge(notes: readonly KeptNote[], { isRehearsal = false } = {}): Promise<readonly MergeOutcome[]> {
    this.#merges++;
    try {
      return await whileBusy(mergeWaitMs, () => this.#mergeNow(notes, isRehearsal));
    } finally {
      this.#merges--;
    }
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): JsonList | Promise<JsonList> {
    this.#refuseIfLost();
    if (this.#isStale()) return this.#lookTogether().then(() => this.#listNow(filter, known));
    return this.#listNow(filter, known);
  }

  async check(): Promise<void> {
    this.#refuseIfLost();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new NoteError('unavailable', message.storeNotRead)), checkMs);
    try {
      await Promise.race([this.#thread.ask<'check'>({ kind: 'check' }), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async stats(): Promise<EngineStats> {
    this.#refuseIfLost();
    return this.#thread.ask<'stats'>({ kind: 'stats' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    this.#reader?.[Symbol.dispose]();
    const isLost = this.#refusal !== undefined;
    this.#refusal ??= new NoteError('busy', message.storeClosed);
    if (!isLost) await this.#thread.ask<'close'>({ kind: 'close' });
    this.#thread[Symbol.dispose]();
  }

  async #commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    this.#refuseIfLost();
    const [at, sentAt] = [this.#context.now(), performance.now()];
    return this.#thread.ask<'commit', readonly Outcome[]>({ kind: 'commit', writes, at }, (effects) => {
      this.#seenAt = sentAt;
      this.#commits++;
      return effects.map((effect, index) => this.#account(effect, writes[index], at));
    });
  }

  #account(effect: SentEffect, write: Write | undefined, at: number): Outcome {
    if ('error' in effect) return asNoteError(receivedError(effect.error));
    if ('note' in effect && effect.before !== undefined) this.#cache.delete(effect.before);
    const note = 'note' in effect ? effect.note : createdNote(effect.id, write, at);
    this.#cache.set(note, jsonOf(note));
    return note;
  }

  async #mergeNow(notes: readonly KeptNote[], isRehearsal: boolean): Promise<readonly MergeOutcome[]> {
    this.#refuseIfLost();
    return this.#thread.ask<'merge', readonly MergeOutcome[]>({ kind: 'merge', notes, isRehearsal }, (outcomes) => {
      if (!isRehearsal && outcomes.some(isStored)) this.#forgetLists();
      return outcomes;
    });
  }

  #listNow(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const version = this.#cache.version(filter);
    const revision = `${this.#session}-${version}`;
    if (version !== undefined && known.includes(revision)) return { kind: 'unchanged', revision };
    const list = version === undefined ? undefined : this.#cache.find(filter);
    if (list) return { kind: 'whole', revision, body: list.body };
    return this.#cache.isTooLong(filter) ? this.#readList(filter, known) : this.#readOnce(filter, known);
  }

  /** Those who ask for the same list, before it is known to be long, read it once. */
  async #readOnce(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const key = keyOf(filter);
    const reading = this.#reading.get(key);
    if (reading !== undefined) {
      await reading.catch(() => {}); // who began it is told
      return this.#listNow(filter, known);
    }
    const mine = this.#readList(filter, known);
    this.#reading.set(key, mine);
    try {
      return await mine;
    } finally {
      this.#reading.delete(key);
    }
  }

  async #readList(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const slot = await this.#slots.take();
    try {
      await this.#look();
      const revision = this.#revisionOf(filter);
      if (known.includes(revision)) {
        slot.free();
        return { kind: 'unchanged', revision };
      }
      const most = this.#cache.isTooLong(filter) ? wholeLength : Math.max(wholeLength, this.#cache.maxListBytes);
      return await this.#beginToRead(filter, most, (begun) => this.#answer(filter, begun, slot));
    } catch (error) {
      slot.free();
      throw error;
    }
  }

  /** The list as it was begun: kept if it is short, and with a place in the line until it has ended if it is long. */
  #answer(filter: NoteFilter, { head, rest, isCurrent }: Begun, slot: Slot): JsonList {
    const revision = `${this.#revisionOf(filter)}${isCurrent ? '' : `-${++this.#unsure}`}`;
    if (rest === undefined) {
      slot.free();
      const kept = isCurrent ? this.#cache.put(filter, entriesOf(head)) : undefined;
      if (kept) return { kind: 'whole', revision: `${this.#session}-${kept.version}`, body: kept.body };
      return { kind: 'whole', revision, body: new Blob([...textsOf(head)]) };
    }
    if (isCurrent) this.#cache.refuse(filter);
    const afterMs = mostHeldMs / this.#slots.taken; // the more are held, the sooner each is let go
    const texts = this.#textsOf(head, rest, slot);
    const first = texts.next().value ?? ''; // begun, so that it frees what it holds when it is left
    return { kind: 'chunks', revision, chunks: spool(first, texts, { folder: dirname(this.#path), afterMs }) };
  }

  *#textsOf(head: readonly NoteRow[], rest: Rows, slot: Slot): Generator<string, void, void> {
    try {
      yield* textsOf(chained(head, rest));
    } catch (error) {
      throw this.#failed(error);
    } finally {
      rest.return();
      slot.free();
    }
  }

  /** Names what an uncached list shows. */
  #revisionOf(filter: NoteFilter): string {
    return `${this.#session}-${keyOf(filter)}-${this.#commits}.${this.#generation}`;
  }

  /** Begins to read while no commit is under way, up to about `most` characters; passes on what `take` makes of it then. */
  async #beginToRead<Taken>(filter: NoteFilter, most: number, take: (begun: Begun) => Taken): Promise<Taken> {
    this.#refuseIfLost();
    const reader = this.#reader;
    if (reader === undefined) throw new NoteError('busy', message.storeClosed);
    return this.#queue.whileIdle(async () => {
      const generation = this.#generation;
      const rows = reader.rows(filter);
      try {
        const head = this.#next(rows, most);
        const next = rows.next();
        await this.#look();
        const isCurrent = generation === this.#generation;
        if (next.done) return take({ head, rest: undefined, isCurrent });
        return take({ head: [...head, next.value], rest: rows, isCurrent });
      } catch (error) {
        rows.return();
        throw error;
      }
    });
  }

  /** The next rows, of about `most` characters; none at the end. */
  #next(rows: Rows, most = chunkLength): NoteRow[] {
    const some: NoteRow[] = [];
    try {
      for (let length = 0; length < most; ) {
        const { value: row, done } = rows.next();
        if (done) break;
        some.push(row);
        length += row.title.length + row.content.length + 200;
      }
      return some;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Whether what is kept may miss what another program has committed. While we commit, each commit tells. */
  #isStale(): boolean {
    const age = performance.now() - this.#seenAt;
    if (age < freshMs || this.#queue.isCommitting || this.#merges > 0) return false;
    if (!this.#thread.isBusy) this.#lookTogether().catch(() => {}); // whoever waits for it is told
    return age > staleMs;
  }

  /** Resolves when everything that other programs have committed before the call is known. */
  #look(): Promise<void> {
    const sentAt = performance.now();
    return this.#thread.ask<'look', void>({ kind: 'look' }, () => {
      this.#seenAt = sentAt;
    });
  }

  /** As `#look`, shared by those who ask at about the same time: what was committed since it began may be missing. */
  #lookTogether(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #forgetLists(): void {
    this.#generation++;
    this.#cache.clear();
  }

  #refuseIfLost(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** What to throw for an error of reading. */
  #failed(error: unknown): unknown {
    if (failureOf(error) === 'stop') this.#lose(error);
    return noteErrorOf(error, 'read');
  }

  #lose(error: unknown): void {
    if (this.#refusal) return;
    const reason = error instanceof NoteError ? (error.cause ?? error) : error;
    this.#refusal = lost(reason);
    this.#context.onLost(reason);
  }
}

function createdNote(id: number, write: Write | undefined, at: number): Note {
  if (write?.kind !== 'create') throw new Error('The thread that writes has mixed up its results');
  return newNote(id, write.draft, at);
}

const asNoteError = (error: unknown): NoteError =>
  error instanceof NoteError ? error : new NoteError('internal', message.unexpected, { cause: error });

function* entriesOf(rows: Iterable<NoteRow>) {
  for (const row of rows) yield { id: row.id, json: JSON.stringify(noteOf(row)) };
}

function* chained(head: readonly NoteRow[], rest: Rows): Rows {
  yield* head;
  yield* rest;
}

function* textsOf(rows: Iterable<NoteRow>): Generator<string, void, void> {
  let text = '[';
  let separator = '';
  for (const { json } of entriesOf(rows)) {
    text += separator + json;
    separator = ',';
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}
