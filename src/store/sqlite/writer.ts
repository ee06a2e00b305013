import type { Database, Statement } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import type { Write } from '../engine.ts';
import { type Changes, createChanges, type Effect } from './changes.ts';
import type { Checkpoints } from './checkpoints.ts';
import { CommitFailed, failureOf } from './failure.ts';
import type { RedoLog } from './redo-log.ts';

/** How long one batch may keep the event loop, in ms, before it is synced: the rest of it waits for the next one. */
const turnMs = 5;

/** So many writes are committed by SQLite at once, unless others wait already: other programs see them without delay. */
const few = 4;

/**
 * What one transaction of SQLite collects: pages by estimate, since its commit keeps the event loop for about 7 µs for
 * each; writes; and ms until other programs see them.
 */
const most = { pages: 1_300, writes: 8_000, ms: 100 };

/**
 * Pages that the write-ahead log gains, by estimate, before it is folded into the database while writes go on; and before
 * writes wait for that, so that the log can begin anew. At 3,500 SQLite folds it itself, in our turn.
 */
const folded = { whileWriting: 500, betweenWrites: 2_000 };

/** How long the log goes without its reserve, in ms, before it is tried to get it again. */
const refillMs = 1_000;

export interface WriterResources {
  readonly db: Database;
  /** None where notes end with the process. */
  readonly log: RedoLog | undefined;
  /** None where SQLite makes its checkpoints itself. */
  readonly checkpoints: Checkpoints | undefined;
}

export interface WriterContext {
  /** ms since 1970. */
  readonly now: () => number;
  /** Called after each transaction that SQLite has committed. */
  readonly committed: () => void;
  /** Called with what goes wrong while nobody waits for a result. */
  readonly failed: (error: unknown) => void;
}

/**
 * Applies writes to the table. A batch is durable by its record in the redo log; SQLite, whose own commit costs several
 * times more, collects many batches in one transaction. Without a log, or without room in it, each batch is committed by
 * SQLite. Other connections see only what SQLite has committed: `flush` before they are asked.
 */
export class Writer implements Disposable {
  readonly #db: Database;
  readonly #log: RedoLog | undefined;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #context: WriterContext;
  readonly #changes: Changes;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #pages = new PageEstimate();
  #uncommitted = 0;
  /** Pages in the write-ahead log that no checkpoint was told to fold, and those since it began anew. */
  #unfolded = 0;
  #logged = 0;
  #pause: Promise<void> | undefined;
  #timer: Timer | undefined;
  #refillAt = 0;

  /** Commits what the log holds. */
  constructor({ db, log, checkpoints }: WriterResources, context: WriterContext) {
    this.#db = db;
    this.#log = log;
    this.#checkpoints = checkpoints;
    this.#context = context;
    this.#changes = createChanges(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#redo();
  }

  /** Applies a non-empty prefix of the writes, and returns when it is on disk. After an error that is no `stop`, none is. */
  write(writes: readonly Write[]): readonly Effect[] {
    const isFirst = !this.#db.inTransaction;
    if (isFirst) this.#open();
    const effects = this.#applyDurably(writes, isFirst);
    if (this.#uncommitted >= most.writes || this.#pages.count >= most.pages) this.flush();
    return effects;
  }

  /** Resolves when writes may go on; undefined: they may now. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** Has SQLite commit what it has collected. */
  flush(): void {
    if (!this.#db.inTransaction) return;
    try {
      this.#close();
    } catch (error) {
      if (failureOf(error) === 'stop') throw error;
      this.#recover();
    }
  }

  /** Commits nothing more by itself. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #open(): void {
    this.#begin.run();
    this.#timer = setTimeout(() => {
      try {
        this.flush();
      } catch (error) {
        this.#context.failed(error);
      }
    }, most.ms);
  }

  #apply(writes: readonly Write[]): Effect[] {
    const at = this.#context.now();
    const until = performance.now() + turnMs;
    const effects: Effect[] = [];
    for (const write of writes) {
      effects.push(this.#changes.apply(write, at));
      if (performance.now() > until) break;
    }
    return effects;
  }

  #close(): void {
    this.#commit.run();
    clearTimeout(this.#timer);
    if (this.#uncommitted > 0) this.#context.committed();
    this.#uncommitted = 0;
    this.#log?.clear();
    this.#refill();
    this.#fold(this.#pages.take());
  }

  #fold(pages: number): void {
    this.#unfolded += pages;
    this.#logged += pages;
    const mustWait = this.#logged >= folded.betweenWrites;
    if (this.#checkpoints === undefined || (this.#unfolded < folded.whileWriting && !mustWait)) return;
    this.#unfolded = 0;
    const folding = this.#checkpoints.fold().catch((error) => this.#context.failed(error));
    if (!mustWait) return;
    this.#logged = 0;
    this.#pause = folding.then(() => {
      this.#pause = undefined;
    });
  }

  #applyDurably(writes: readonly Write[], isFirst: boolean): readonly Effect[] {
    try {
      const effects = this.#apply(writes);
      const notes = effects.flatMap(({ outcome }) => (outcome instanceof NoteError ? [] : [outcome]));
      this.#uncommitted += notes.length;
      for (const note of notes) this.#pages.add(note);
      const isLogged = !(isFirst && notes.length <= few) && this.#log?.append(notes);
      if (!isLogged) this.#close();
      return effects;
    } catch (error) {
      if (failureOf(error) !== 'stop') this.#recover();
      throw error;
    }
  }

  /** The transaction is lost: what of it was acknowledged is committed, with the room that the log can spare. */
  #recover(): void {
    if (this.#db.inTransaction) this.#db.run('ROLLBACK');
    clearTimeout(this.#timer);
    this.#uncommitted = 0;
    this.#pages.take();
    if (this.#log === undefined) return;
    this.#log.release();
    this.#refillAt = performance.now() + refillMs;
    try {
      this.#redo();
    } catch (error) {
      throw new CommitFailed(error);
    }
  }

  #redo(): void {
    const batches = [...(this.#log?.batches() ?? [])];
    if (batches.length === 0) return;
    this.#db.run('PRAGMA busy_timeout = 5000'); // another program may have taken the lock
    this.#begin.run();
    this.#db.run('PRAGMA busy_timeout = 0');
    for (const note of batches.flat()) this.#changes.restore(note);
    this.#uncommitted = batches.length;
    this.#close();
  }

  /** Has the log take its reserve from the disk again, now and then. */
  #refill(): void {
    if (performance.now() < this.#refillAt) return;
    this.#log?.refill();
    this.#refillAt = performance.now() + refillMs;
  }
}

/** About how many pages of the database the notes of a transaction lie on: it counts neighbours once. */
class PageEstimate {
  /** Eight notes of 512 characters to a page of the table, 128 to one of the index, of which a note may leave one. */
  readonly #leaves = new Set<number>();
  readonly #entries = new Set<number>();
  #overflow = 0;

  add({ id, content }: Note): void {
    this.#leaves.add(id >>> 3);
    this.#entries.add(id >>> 7);
    this.#overflow += Math.max(0, content.length - 512) / 4096;
  }

  get count(): number {
    return this.#leaves.size + 2 * this.#entries.size + this.#overflow;
  }

  /** The count, which starts again. */
  take(): number {
    const { count } = this;
    this.#leaves.clear();
    this.#entries.clear();
    this.#overflow = 0;
    return count;
  }
}
