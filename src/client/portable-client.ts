import { NoteError, type NoteErrorOptions } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import { createLabels } from '../core/group-labels.ts';
import { isObject, tryParseJson } from '../core/json/json.ts';
import { JsonArrayError, parseNoteArray } from '../core/json/json-array.ts';
import type { Note } from '../core/note.ts';
import { type MergeResult, type PortableStore, searchLimits } from '../core/store.ts';
import { createClient } from './client.ts';
import { splitIntoMergeBatches } from './merge-batches.ts';
import { createMergeResponseCheck, getValidNote, isCreatedNotes, isNoteOrigins } from './served-values.ts';
import { encodeQueryString, jsonBodyHeaders, withAccessToken } from './service-request.ts';
import {
  createResponseError,
  createUnexpectedBodyError,
  createUnreachableError,
  failedReadOptions,
  getResult,
  type RequestKind,
  readResponseOfAnyStatus,
  type ServiceResponse,
} from './service-response.ts';
import { readBodyChunks, SilenceTimeout } from './silence-timeout.ts';

/** Timeout of a request for a note or a list, in ms. */
const timeoutMs = 30_000;

interface PortableOptions {
  /** The access token, if the service requires one. */
  readonly token?: string | undefined;
  /** How long the service may send nothing, in ms. */
  readonly silenceMs?: number;
}

/**
 * Creates a portable store for the service at `url`. Large merges take several sequential requests: if one fails, the
 * earlier ones stay merged, and repeating the whole merge is safe.
 */
export function createPortableClient(url: string, options: PortableOptions = {}): PortableStore {
  const service = new PortableService(url, options);
  const { location } = service;
  const send = (to: string, init: RequestInit) => service.send(to.slice(location.length), init);
  const client = createClient(location, { send, timeoutMs });
  return {
    location,
    create: async (draft) => getValidNote(await client.create(draft)),
    get: async (id) => getValidNote(await client.get(id)),
    list: async (filter) => (await client.list(filter)).map(getValidNote),
    update: async (id, patch, ifMatch) => getValidNote(await client.update(id, patch, ifMatch)),
    setArchived: async (id, archived, ifMatch) => getValidNote(await client.setArchived(id, archived, ifMatch)),
    labels: async () => createLabels(Object.entries(await client.labels())),
    setLabels: (labels) => client.setLabels(labels),

    async search(query, searchOptions) {
      if (query.length > searchLimits.query) return undefined;
      const found = await client.search(query, searchOptions);
      return { ...found, notes: found.notes.map(getValidNote) };
    },

    scan: (filter = {}) => service.streamNoteBatches(`/api/notes${encodeQueryString(filter)}`),

    history: (id, limit) => service.streamNoteBatches(`/api/notes/${id}/history${encodeQueryString({ limit })}`),

    origins: async (after) =>
      getResult(await service.fetchResponseOfAnyStatus(`/origins?after=${after}`), isNoteOrigins),

    async findCreatedAt(times, after) {
      const init = { method: 'POST', headers: jsonBodyHeaders, body: JSON.stringify({ times, after }) };
      return getResult(await service.fetchResponseOfAnyStatus('/created', init), isCreatedNotes);
    },

    async merge(notes, { dryRun = false } = {}) {
      const results: MergeResult[] = [];
      for (const { texts } of splitIntoMergeBatches(notes)) results.push(...(await service.merge(texts, dryRun)));
      return results;
    },

    async [Symbol.asyncDispose]() {},
  };
}

/** Requests that only this program sends, some of which take long. Every failure is a `NoteError`. */
class PortableService {
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
    const request = withAccessToken(init, this.#token);
    const response = await fetch(this.#address + path, { ...request, redirect: 'error' }); // the token is for this host
    if (response.status === 404 && !(await isMissingNoteResponse(response, path)))
      throw createNoServiceError(this.location, path, init);
    return response;
  }

  /** Fetches a response of any status, which may take as long as something arrives. */
  async fetchResponseOfAnyStatus(path: string, init: RequestInit = {}): Promise<ServiceResponse> {
    const timeout = new SilenceTimeout(this.#silenceMs);
    return this.#readResponse(await this.#fetchUnreadResponse(path, init, timeout), timeout, 'read');
  }

  /** Merges notes, given as JSON, by one request. */
  async merge(texts: readonly string[], dryRun: boolean): Promise<readonly MergeResult[]> {
    const timeout = new SilenceTimeout(this.#silenceMs);
    const body = `{"notes":[${texts}],"dryRun":${dryRun}}`;
    const response = await this.#fetchUnreadResponse(
      '/merge',
      { method: 'POST', headers: jsonBodyHeaders, body },
      timeout,
    );
    const merged = await this.#readResponse(response, timeout, dryRun ? 'read' : 'write');
    return getResult(merged, createMergeResponseCheck(texts.length)).results;
  }

  /** Yields the notes of a list as they arrive. */
  async *streamNoteBatches(path: string): AsyncGenerator<readonly Note[], void, void> {
    const timeout = new SilenceTimeout(this.#silenceMs);
    const response = await this.#fetchUnreadResponse(path, {}, timeout);
    if (response.status !== 200) throw createResponseError(await this.#readResponse(response, timeout, 'read'));
    try {
      for await (const notes of parseNoteArray(readBodyChunks(response, timeout))) yield notes.map(getValidNote);
    } catch (error) {
      if (error instanceof NoteError && error.code === 'unavailable') throw error;
      throw isNotAnArrayError(error) ? createUnexpectedBodyError(200) : this.#createCutOffError(error, 'read');
    }
  }

  /** Returns a response whose body is yet to be read. */
  async #fetchUnreadResponse(path: string, init: RequestInit, timeout: SilenceTimeout): Promise<Response> {
    try {
      return await timeout.waitFor(this.send(path, { ...init, signal: timeout.signal }));
    } catch (cause) {
      const requestKind = init.method === undefined ? 'read' : 'write';
      throw cause instanceof NoteError ? cause : createUnreachableError(this.location, cause, requestKind);
    }
  }

  async #readResponse(response: Response, timeout: SilenceTimeout, requestKind: RequestKind): Promise<ServiceResponse> {
    try {
      return await timeout.waitFor(readResponseOfAnyStatus(response, requestKind));
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
const isNotAnArrayError = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof JsonArrayError && !error.isArray);
