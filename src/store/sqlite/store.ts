import { NoteError } from '../../domain/error.ts';
import type { Labels } from '../../domain/labels/labels.ts';
import * as message from '../../domain/message.ts';
import type { Note, NoteFilter, NoteHead, PortableNote } from '../../domain/note.ts';
import type {
  EngineStats,
  Found,
  JsonList,
  MergeOutcome,
  NoteEngine,
  NoteOrigin,
  SearchOptions,
} from '../../domain/store.ts';
import type { Outcome, Write } from '../engine.ts';
import type { VersionsRange } from '../history.ts';
import { isStored, mergedNotes, whileBusy } from '../merge.ts';
import { type EngineContext, QueuedEngine } from '../queued-engine.ts';
import { newNote } from '../row.ts';
import { failureOf, lost, noteErrorOf } from './failure.ts';
import { RecentChanges } from './feed.ts';
import { CachedLists } from './lists/cached-lists.ts';
import type { Operations } from './writer/executor.ts';
import { receivedError, type SentEffect } from './writer/messages.ts';
import type { WriterClient } from './writer/writer-client.ts';

export interface StoreContext extends EngineContext {
  /** Clock in ms since 1970. */
  readonly now: () => number;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (error: unknown) => void;
}

/** How long merges and changes of labels wait for another program that holds the database, in ms. */
const mergeWaitMs = 5_000;

/** Timeouts of a check, of its wait for the lock of another program, and of closing, in ms. */
const checkMs = 5_000;
const checkBusyMs = 1_500;
const closeMs = 8_000;

/**
 * Notes in an SQLite file. One thread writes, this one answers requests. A write becomes visible when its result
 * arrives here: cached lists change and the request is answered in one step. Other reads run on the writing thread in
 * turn, or are answered after the results of the commits that they show, so that no reader sees a write that a later
 * one misses.
 */
export class SqliteStore extends QueuedEngine implements NoteEngine {
  readonly location: string;
  readonly feed: RecentChanges;
  readonly #context: StoreContext;
  readonly #writer: WriterClient;
  readonly #lists: CachedLists;
  #merges = 0;
  /** Why requests are refused: the store is closed, or the state on disk is uncertain. */
  #refusal: NoteError | undefined;

  /** `writer` has opened the database at `path`. */
  constructor(writer: WriterClient, path: string, location: string, context: StoreContext) {
    super(context.onCommit, { concurrent: 8 });
    this.location = location;
    this.#context = context;
    this.#writer = writer;
    const { cacheBytes } = context;
    this.#lists = new CachedLists({ path, writer, cacheBytes, failed: (error) => this.#failed(error) });
    this.feed = new RecentChanges(() => writer.ask('poll', []));
    writer.follow({ onForeignCommit: () => this.#invalidate(), onLost: (error) => this.#lose(error) });
  }

  async get(id: number): Promise<Note> {
    const note = await this.#ask('get', id);
    if (note === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return note;
  }

  protected versions(range: VersionsRange): Promise<readonly Note[]> {
    return this.#ask('versions', range);
  }

  origins(after: number): Promise<readonly NoteOrigin[]> {
    return this.#ask('origins', after);
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    this.#refuseIfLost();
    yield* this.#lists.scan(filter);
  }

  newestHeads(options: SearchOptions): Promise<Found<NoteHead>> {
    return this.#ask('newestHeads', options);
  }

  labels(): Promise<Labels> {
    return this.#ask('labels');
  }

  setLabels(labels: Labels): Promise<Labels> {
    return whileBusy(mergeWaitMs, () => this.#ask('setLabels', labels));
  }

  async merge(notes: readonly PortableNote[], { dryRun = false, lastId = 0 } = {}): Promise<readonly MergeOutcome[]> {
    this.#merges++;
    try {
      return await whileBusy(mergeWaitMs, () => this.#mergeNow(notes, dryRun, lastId));
    } finally {
      this.#merges--;
    }
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): JsonList | Promise<JsonList> {
    this.#refuseIfLost();
    return this.#lists.answer(filter, known, this.queue.isCommitting || this.#merges > 0);
  }

  newest(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#ask('newest', filter, limit);
  }

  async check(): Promise<void> {
    const checked = whileBusy(checkBusyMs, () => this.#ask('check'));
    await inTime(checked, checkMs);
  }

  stats(): Promise<EngineStats> {
    return this.#ask('stats');
  }

  lastId(): Promise<number> {
    return this.#ask('lastId');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await inTime(this.#close(), closeMs);
    } finally {
      this.#writer[Symbol.dispose]();
    }
  }

  async #close(): Promise<void> {
    await this.queue.close();
    this.#lists[Symbol.dispose]();
    const isLost = this.#refusal !== undefined;
    this.#refusal ??= new NoteError('busy', message.storeClosed);
    if (!isLost) await this.#writer.ask('close', []);
  }

  protected async commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    this.#refuseIfLost();
    const [at, sentAt] = [this.#context.now(), performance.now()];
    return this.#writer.ask('commit', [{ writes, at }], (effects) => {
      const outcomes = effects.map((effect, index) => outcomeOf(effect, writes[index], at));
      const stored = outcomes.filter((outcome): outcome is Note => !(outcome instanceof NoteError));
      this.#lists.applyCommit(stored, sentAt);
      this.feed.add(stored);
      return outcomes;
    });
  }

  async #mergeNow(notes: readonly PortableNote[], dryRun: boolean, lastId: number): Promise<readonly MergeOutcome[]> {
    this.#refuseIfLost();
    return this.#writer.ask('merge', [notes, dryRun, lastId], (outcomes) => {
      if (!dryRun && outcomes.some(isStored)) this.#invalidate(mergedNotes(notes, outcomes));
      return outcomes;
    });
  }

  /** Invalidates lists after writes; `stored` are the written notes, if known. */
  #invalidate(stored?: readonly Note[]): void {
    this.#lists.invalidate();
    if (stored === undefined) this.feed.invalidate();
    else this.feed.add(stored);
  }

  async #ask<Name extends keyof Operations>(name: Name, ...args: Parameters<Operations[Name]>) {
    this.#refuseIfLost();
    return this.#writer.ask(name, args);
  }

  #refuseIfLost(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Converts an error of a read, and gives up the store if the error is fatal. */
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

function outcomeOf(effect: SentEffect, write: Write | undefined, at: number): Outcome {
  if ('error' in effect) return receivedError(effect.error);
  if ('note' in effect) return effect.note;
  if (write?.kind !== 'create') throw new Error('The thread that writes has mixed up its results');
  return newNote(effect.id, write.draft, at);
}

/** Throws `unavailable` if the thread takes too long: a disk may hang. */
async function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoteError('unavailable', message.storeNotRead)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
