import { SQLiteError } from 'bun:sqlite';
import { type Code, NoteError, type WriteOutcome } from '../../../domain/error.ts';
import type { Labels } from '../../../domain/labels/labels.ts';
import type { Note, PortableNote } from '../../../domain/note.ts';
import type { EngineStats, MergeOutcome, NoteOrigin } from '../../../domain/store.ts';
import type { Write } from '../../engine.ts';
import type { VersionsRange } from '../../history.ts';
import { failureOf, noteErrorOf } from '../failure.ts';
import type { DatabaseOptions } from '../file/database.ts';
import type { Effect } from '../writes.ts';

/** The requests to the writer's thread: each is done, and answered, after the one before. */
export type WriterRequest =
  | { readonly kind: 'open'; readonly options: DatabaseOptions; readonly maxVersions: number }
  | { readonly kind: 'commit'; readonly writes: readonly Write[]; readonly at: number }
  | {
      readonly kind: 'merge';
      readonly notes: readonly PortableNote[];
      readonly dryRun: boolean;
      readonly lastId: number;
    }
  | { readonly kind: 'get'; readonly id: number }
  | { readonly kind: 'versions'; readonly range: VersionsRange }
  | { readonly kind: 'labels' }
  | { readonly kind: 'setLabels'; readonly labels: Labels }
  | { readonly kind: 'origins'; readonly after: number }
  | { readonly kind: 'check' }
  | { readonly kind: 'stats' }
  | { readonly kind: 'lastId' }
  /** Asks only whether another program has committed. */
  | { readonly kind: 'look' }
  | { readonly kind: 'close' };

/** What each request results in. */
export interface Results {
  readonly open: { readonly path: string; readonly copy: string | undefined };
  readonly commit: readonly SentEffect[];
  readonly merge: readonly MergeOutcome[];
  readonly get: Note | undefined;
  readonly versions: readonly Note[];
  readonly labels: Labels;
  readonly setLabels: Labels;
  readonly origins: readonly NoteOrigin[];
  readonly check: undefined;
  readonly stats: EngineStats;
  readonly lastId: number;
  readonly look: undefined;
  readonly close: undefined;
}

/** The answer to an request. With `isForeign`, another program has committed since the answer before. */
export type Reply =
  | { readonly isForeign: boolean; readonly result: Results[keyof Results] }
  | { readonly isForeign: boolean; readonly failure: SentError };

/** What the thread sends: answers, and once, without being asked, that what is on disk is no longer certain. */
export type Message = Reply | { readonly lost: SentError };

/** An error, as a message between threads can hold it. */
export interface SentError {
  readonly message: string;
  /** Of a `NoteError`, else undefined. */
  readonly shown: { readonly code: Code; readonly outcome: WriteOutcome; readonly retry: boolean } | undefined;
  /** What is on disk is no longer certain. */
  readonly isLost: boolean;
  readonly cause: { readonly message: string; readonly code: string } | undefined;
}

/** What became of a write. Of a create only the id: the rest is known to who ordered it. */
export type SentEffect = { readonly id: number } | { readonly note: Note } | { readonly error: SentError };

export function sentEffect({ outcome, isNew }: Effect): SentEffect {
  if (outcome instanceof NoteError) return { error: sentError(outcome, 'write') };
  return isNew ? { id: outcome.id } : { note: outcome };
}

export function sentError(error: unknown, during: 'read' | 'write'): SentError {
  const shown = noteErrorOf(error, during);
  const cause = shown instanceof Error ? shown.cause : undefined;
  return {
    message: shown instanceof Error ? shown.message : String(shown),
    shown: shown instanceof NoteError ? { code: shown.code, outcome: shown.outcome, retry: shown.retry } : undefined,
    isLost: failureOf(error) === 'stop',
    cause: cause instanceof Error ? { message: cause.message, code: codeOf(cause) } : undefined,
  };
}

const codeOf = (error: Error) =>
  error instanceof SQLiteError ? (error.code ?? '') : 'code' in error ? String(error.code) : '';

export function receivedError({ message, shown, cause }: SentError): Error {
  const options = cause && { cause: Object.assign(new Error(cause.message), { code: cause.code }) };
  return shown ? new NoteError(shown.code, message, { ...options, ...shown }) : new Error(message, options);
}
