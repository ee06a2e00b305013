import { constants, openSync } from 'node:fs';
import SonicBoom from 'sonic-boom';
import { NoteError } from '../core/error.ts';
import { getErrorMessage } from '../core/thrown-errors.ts';
import type { Log } from './log.ts';

/** An entry says which write a client asked for, and how it ended. It has no token and no content. */
export interface AuditEntry {
  /** The name of the client's token; undefined for a service without tokens. */
  readonly token: string | undefined;
  readonly address: string;
  /** The method, or `MCP` and the name of a tool. */
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** The id of the note, also of one that was created; undefined for what concerns no single note. */
  readonly id?: number | undefined;
  /** This many notes of a merge were added or updated. */
  readonly merged?: number | undefined;
}

/** So many characters may wait while the disk or the reader is slow. That is about 7,000 writes. */
const maxBufferedCharacters = 2 ** 20;

/**
 * A write has at most this many characters, so that the system does not mix it with one of the log in the same pipe.
 */
const maxWriteCharacters = 4096;

/** Lines wait at most `flushMs`, in ms, or until they have `flushCharacters`. */
const flushMs = 200;
const flushCharacters = 2048;

/** The end of the service waits this long for lines that are not written, in ms. */
const closeTimeoutMs = 2_000;

/**
 * Appends a line of JSON for each write to a file, or to standard output for `-`. It never delays a request: another
 * thread writes the lines, and a line is dropped if more than `maxBufferedCharacters` would wait. As soon as lines are
 * written again, one of them says how many are missing, and the service log does so too. A crash loses the lines of the
 * last `flushMs`.
 */
export class AuditLog implements AsyncDisposable {
  readonly #log: Pick<Log, 'warn'>;
  readonly #destination: SonicBoom;
  #missing = 0;
  #isFailing = false;
  #isClosed = false;

  /** Throws `unavailable` if the file cannot be written to. */
  constructor(path: string, log: Pick<Log, 'warn'>) {
    this.#log = log;
    const fd = path === '-' ? 1 : openForAppend(path);
    const bounds = {
      minLength: flushCharacters,
      periodicFlush: flushMs,
      maxLength: maxBufferedCharacters,
      maxWrite: maxWriteCharacters,
    };
    this.#destination = new SonicBoom({ fd, sync: false, ...bounds });
    this.#destination.on('drop', () => this.#countMissingAndLogFirst());
    this.#destination.on('drain', () => this.#writeAndLogMissingCount());
    this.#destination.on('write', () => {
      this.#isFailing = false;
    });
    this.#destination.on('error', (error) => this.#logFirstFailure(error));
  }

  /** A write that ends after the log was closed is only counted as missing. */
  append(entry: AuditEntry): void {
    if (this.#isClosed) this.#countMissingAndLogFirst();
    else this.#destination.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  }

  /** Writes the lines that wait. It stops after `closeTimeoutMs`, as a reader may be stuck. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const ended = Promise.withResolvers<void>();
    this.#destination.once('close', ended.resolve);
    this.#destination.end();
    const late = setTimeout(() => {
      this.#log.warn({}, 'The audit log could not be written to its end');
      ended.resolve();
    }, closeTimeoutMs);
    await ended.promise;
    clearTimeout(late);
  }

  #countMissingAndLogFirst(): void {
    if (this.#missing === 0)
      this.#log.warn({}, 'The audit log is written too slowly: from now on, writes are missing in it');
    this.#missing++;
  }

  #writeAndLogMissingCount(): void {
    const missing = this.#missing;
    if (missing === 0) return;
    this.#missing = 0;
    this.#destination.write(`${JSON.stringify({ time: new Date().toISOString(), missing })}\n`);
    this.#log.warn({ missing }, `The audit log is written again; ${missing} writes are missing in it`);
  }

  /** Logs a failure only once until a line was written again. */
  #logFirstFailure(err: Error): void {
    if (!this.#isFailing) this.#log.warn({ err }, `The audit log cannot be written: ${getErrorMessage(err)}`);
    this.#isFailing = true;
  }
}

/** Opens the file without blocking: a pipe that nobody reads must not hold up the start, nor a thread later. */
function openForAppend(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (cause) {
    throw new NoteError('unavailable', `The audit log cannot be written (AUDIT_LOG): ${getErrorMessage(cause)}`, {
      cause,
    });
  }
}
