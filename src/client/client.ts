import { groups } from '../core/enums.ts';
import { type Code, NoteError, type WriteOutcome } from '../core/error.ts';
import type { LabelStore, Labels } from '../core/group-labels.ts';
import { isObject } from '../core/json/json.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch } from '../core/note.ts';
import { cursorHeader, foundHeader } from '../core/protocol.ts';
import type { Found, IfMatch, NoteStore, SearchOptions } from '../core/store.ts';
import type { EventOptions, NoteEvent } from './note-events.ts';
import { encodeQueryString, jsonBodyHeaders, toIfMatchHeaders, withAccessToken } from './service-request.ts';
import {
  createResponseError,
  createUnexpectedBodyError,
  createUnreachableError,
  getResult,
  isNote,
  type RequestKind,
  readResponseOfAnyStatus,
  type ServiceResponse,
} from './service-response.ts';

export type {
  Code,
  EventOptions,
  Found,
  IfMatch,
  Labels,
  Note,
  NoteDraft,
  NoteEvent,
  NoteFilter,
  NotePatch,
  NoteStore,
  SearchOptions,
  WriteOutcome,
};
export { NoteError };

export interface ClientOptions {
  /** Sends requests; default: the runtime's `fetch`. May throw `NoteError`. */
  readonly send?: (url: string, init: RequestInit) => Promise<Response>;
  /** The access token, if the service requires one. */
  readonly token?: string | undefined;
  /** Timeout of a request, in ms; default 60,000. */
  readonly timeoutMs?: number;
}

/** A list with the entity tag of its state. */
export interface TaggedList {
  readonly notes: readonly Note[];
  readonly entityTag: string | undefined;
  /** The position of the list in the stream of events; undefined if the service has no stream. */
  readonly cursor: string | undefined;
}

export interface NoteClient extends NoteStore, LabelStore {
  /** Returns the list, or undefined if its entity tag is still `known`. An unchanged list costs little. */
  listUnless(known: string | undefined, filter?: NoteFilter): Promise<TaggedList | undefined>;

  /** Yields each note written from now on, or since a cursor; endless. */
  events(options?: EventOptions): AsyncGenerator<NoteEvent, void, void>;

  /** Returns the best notes for a query, ranked as on the page; the newest, if empty. */
  search(query: string, options?: SearchOptions): Promise<Found>;
}

/**
 * Creates a client of the service at `baseUrl`, which may have a path. Runs in browsers, Bun and Node 20.
 * Every failure is a `NoteError`: `unreachable` if no response arrived, else the code of the response. `outcome` says
 * whether a failed write may have taken effect, `retry` whether to send it again.
 */
export function createClient(baseUrl: string, options: ClientOptions = {}): NoteClient {
  const service = new ServiceConnection(baseUrl, options);
  return {
    create: (draft) => service.sendJson('POST', '/notes', draft, isNote),

    get: (id) => service.fetchResult(`/notes/${id}`, isNote),

    list: (filter = {}) => service.fetchResult(`/notes${encodeQueryString(filter)}`, isNotes),

    async listUnless(known, filter = {}) {
      const headers: Record<string, string> = known === undefined ? {} : { 'If-None-Match': known };
      const response = await service.fetchResponse(`/notes${encodeQueryString(filter)}`, { headers });
      return response.status === 304 ? undefined : toTaggedList(response);
    },

    async *events(eventOptions = {}) {
      const { readNoteEvents } = await service.orUnreachable(import('./note-events.ts')); // a list is shown without it
      yield* readNoteEvents((cursor, signal) => service.openEventStream(cursor, signal), eventOptions);
    },

    search: async (query, searchOptions = {}) =>
      toFound(await service.fetchResponse(`/search${encodeQueryString({ q: query, ...searchOptions })}`, {})),

    update: (id, patch, ifMatch) =>
      service.sendJson('PUT', `/notes/${id}`, { ...patch, id }, isNote, toIfMatchHeaders(ifMatch)),

    async setArchived(id, archived, ifMatch) {
      const path = `/notes/${id}/${archived ? 'archive' : 'unarchive'}`;
      const init = { method: 'PATCH', headers: toIfMatchHeaders(ifMatch) };
      return getResult(await service.fetchResponse(path, init), isNote);
    },

    async *history(id, limit) {
      yield await service.fetchResult(`/notes/${id}/history${encodeQueryString({ limit })}`, isNotes);
    },

    labels: () => service.fetchResult('/labels', isLabels),

    setLabels: (labels) => service.sendJson('PUT', '/labels', labels, isLabels),

    async [Symbol.asyncDispose]() {},
  };
}

/** Sends requests to the service at one address. Paths begin after `/api`. Every failure is a `NoteError`. */
class ServiceConnection {
  readonly #baseUrl: string;
  readonly #options: ClientOptions;

  constructor(baseUrl: string, options: ClientOptions) {
    this.#baseUrl = baseUrl;
    this.#options = options;
  }

  /** Fetches a result. Throws if the response is no success, or its body is no such result. */
  async fetchResult<Result>(path: string, isResult: (body: unknown) => body is Result): Promise<Result> {
    return getResult(await this.fetchResponse(path, {}), isResult);
  }

  /** Writes by a JSON body, and returns what the service responds. Throws as `fetchResult` does. */
  async sendJson<Result>(
    method: 'POST' | 'PUT',
    path: string,
    body: object,
    isResult: (body: unknown) => body is Result,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    const init = { method, headers: { ...jsonBodyHeaders, ...headers }, body: JSON.stringify(body) };
    return getResult(await this.fetchResponse(path, init), isResult);
  }

  /** Fetches a response of any status. */
  async fetchResponse(path: string, init: RequestInit): Promise<ServiceResponse> {
    const { timeoutMs = 60_000 } = this.#options;
    const requestKind = init.method === undefined ? 'read' : 'write';
    return this.orUnreachable(
      this.#send(path, { ...init, signal: AbortSignal.timeout(timeoutMs) }).then((response) =>
        readResponseOfAnyStatus(response, requestKind),
      ),
      requestKind,
    );
  }

  /** Opens the stream of events after a cursor. Its body is yet to be read. */
  async openEventStream(cursor: string | undefined, signal: AbortSignal): Promise<Response> {
    const response = await this.orUnreachable(this.#send(`/events${encodeQueryString({ cursor })}`, { signal }));
    if (response.ok) return response;
    throw createResponseError(await this.orUnreachable(readResponseOfAnyStatus(response, 'read')));
  }

  /** Awaits something that needs the network. If it fails, throws that the service is unreachable. */
  async orUnreachable<Value>(work: Promise<Value>, requestKind: RequestKind = 'read'): Promise<Value> {
    try {
      return await work;
    } catch (cause) {
      throw cause instanceof NoteError ? cause : createUnreachableError(this.#baseUrl, cause, requestKind);
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const { send = (url, request) => fetch(url, request), token } = this.#options;
    return send(`${this.#baseUrl.replace(/\/+$/, '')}/api${path}`, withAccessToken(init, token));
  }
}

function toTaggedList(response: ServiceResponse): TaggedList {
  const { headers } = response;
  const notes = getResult(response, isNotes);
  return { notes, entityTag: headers.get('etag') ?? undefined, cursor: headers.get(cursorHeader) ?? undefined };
}

/** Throws `unavailable` if the header with the number of all matches is missing. */
function toFound(response: ServiceResponse): Found {
  const notes = getResult(response, isNotes);
  const total = response.headers.get(foundHeader);
  if (total === null) throw createUnexpectedBodyError(response.status);
  return { notes, total: Number(total) };
}

const isLabels = (body: unknown): body is Labels =>
  isObject(body) && groups.every((group) => body[group] === null || typeof body[group] === 'string');

const isNotes = (body: unknown): body is Note[] => Array.isArray(body);
