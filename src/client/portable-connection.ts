import { NoteError, type NoteErrorOptions } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import { isObject, tryParseJson } from '../core/json/json.ts';
import { JsonArrayError, streamUncheckedNoteBatchesFromJson } from '../core/json/json-array.ts';
import type { Note } from '../core/note.ts';
import type { MergeResult } from '../core/store.ts';
import { createMergeResponseGuard, parseResponseNote } from './response-guards.ts';
import { jsonBodyHeaders, toRequestWithAccessToken } from './service-request.ts';
import {
  createResponseError,
  createUnexpectedBodyError,
  createUnreachableError,
  failedReadOptions,
  getSuccessBody,
  type RequestKind,
  readStatusAndJsonIfAny,
  type ServiceResponse,
} from './service-response.ts';
import { SilenceAbortController, streamBodyChunks } from './silence-abort-controller.ts';

export interface PortableOptions {
  /** The access token, if the service requires one. */
  readonly token?: string | undefined;
  /** How long the service may send nothing, in ms. */
  readonly silenceMs?: number;
}

/** Requests that only this program sends, some of which take long. Every failure is a `NoteError`. */
export class PortableConnection {
  /** The address without name and password, for messages. */
  readonly location: string;
  readonly #address: string;
  readonly #token: string | undefined;
  readonly #silenceMs: number;

  constructor(url: string, { token, silenceMs = 120_000 }: PortableOptions) {
    this.location = removeCredentialsAndFinalSlashes(url);
    this.#address = url.replace(/\/+$/, '');
    this.#token = token;
    this.#silenceMs = silenceMs;
  }

  /** Sends a request. Throws `unreachable` if another program than a notes service is at the address. */
  async send(path: string, init: RequestInit): Promise<Response> {
    const request = toRequestWithAccessToken(init, this.#token);
    const response = await fetch(this.#address + path, { ...request, redirect: 'error' }); // the token is for this host
    if (response.status === 404 && !(await isMissingNoteResponse(response, path)))
      throw createNoServiceError(this.location, path, init);
    return response;
  }

  /** Fetches a response of any status, from a path below the address. It may take as long as something arrives. */
  async fetchStatusAndJsonIfAny(path: string, init: RequestInit = {}): Promise<ServiceResponse> {
    const timeout = new SilenceAbortController(this.#silenceMs);
    return this.#readServiceResponse(await this.#fetchUnreadResponse(path, init, timeout), timeout, 'read');
  }

  /** Merges notes, given as JSON, by one request. */
  async sendMergeRequest(noteJsons: readonly string[], dryRun: boolean): Promise<readonly MergeResult[]> {
    const timeout = new SilenceAbortController(this.#silenceMs);
    const body = `{"notes":[${noteJsons}],"dryRun":${dryRun}}`;
    const response = await this.#fetchUnreadResponse(
      '/merge',
      { method: 'POST', headers: jsonBodyHeaders, body },
      timeout,
    );
    const merged = await this.#readServiceResponse(response, timeout, dryRun ? 'read' : 'write');
    return getSuccessBody(merged, createMergeResponseGuard(noteJsons.length)).results;
  }

  /** Yields the notes of a list as they arrive. */
  async *streamNoteBatches(path: string): AsyncGenerator<readonly Note[], void, void> {
    const timeout = new SilenceAbortController(this.#silenceMs);
    const response = await this.#fetchUnreadResponse(path, {}, timeout);
    if (response.status !== 200) throw createResponseError(await this.#readServiceResponse(response, timeout, 'read'));
    try {
      for await (const notes of streamUncheckedNoteBatchesFromJson(streamBodyChunks(response, timeout)))
        yield notes.map(parseResponseNote);
    } catch (error) {
      if (error instanceof NoteError && error.code === 'unavailable') throw error;
      throw isNotJsonArrayError(error) ? createUnexpectedBodyError(200) : this.#createCutOffError(error, 'read');
    }
  }

  /** Returns a response whose body is yet to be read. */
  async #fetchUnreadResponse(path: string, init: RequestInit, timeout: SilenceAbortController): Promise<Response> {
    try {
      return await timeout.awaitAndAbortIfLate(this.send(path, { ...init, signal: timeout.signal }));
    } catch (cause) {
      const requestKind = init.method === undefined ? 'read' : 'write';
      throw cause instanceof NoteError ? cause : createUnreachableError(this.location, cause, requestKind);
    }
  }

  async #readServiceResponse(
    response: Response,
    timeout: SilenceAbortController,
    requestKind: RequestKind,
  ): Promise<ServiceResponse> {
    try {
      return await timeout.awaitAndAbortIfLate(readStatusAndJsonIfAny(response, requestKind));
    } catch (error) {
      throw this.#createCutOffError(error, requestKind);
    }
  }

  #createCutOffError(cause: unknown, requestKind: RequestKind): NoteError {
    const sentence = `The answer of the notes service at ${this.location} was cut off. Try again`;
    const options: NoteErrorOptions = requestKind === 'read' ? failedReadOptions : {};
    return new NoteError('unavailable', sentence, { ...options, cause });
  }
}

/** Whether a response of status 404 is that of a service without this note, not of another program or path. */
async function isMissingNoteResponse(response: Response, path: string): Promise<boolean> {
  const [, id] = /^\/api\/notes\/(\d+)/.exec(path) ?? [];
  if (id === undefined) return false;
  const body = tryParseJson(await response.clone().text());
  return isObject(body) && body['error'] === message.noSuchNote(id);
}

/** Creates the error of a request to an address where no notes service is. */
function createNoServiceError(location: string, path: string, { method = 'GET' }: RequestInit): NoteError {
  const { pathname } = new URL(location + path);
  const advice = new URL(location).pathname === '/' ? 'Check the address' : 'Check the path';
  const sentence = `${location} is not a notes service: it answered 404 to ${method} ${pathname}. ${advice}`;
  return new NoteError('unreachable', sentence, { outcome: 'none' });
}

/** Returns the address without name and password, and without slashes at the end. */
function removeCredentialsAndFinalSlashes(url: string): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/+$/, '');
}

/** Whether a list could not be read because it is no JSON array of objects, rather than cut off. */
const isNotJsonArrayError = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof JsonArrayError && !error.isArray);
