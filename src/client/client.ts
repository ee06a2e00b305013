import { groups } from '../core/enums.ts';
import { type ErrorCode, NoteError, type WriteOutcome } from '../core/error.ts';
import { isObject } from '../core/json/json.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch } from '../core/note.ts';
import { cursorHeader, foundHeader } from '../core/protocol.ts';
import type { Found, IfMatch, NoteStore, SearchOptions } from '../core/store.ts';
import type { LabelChanges, LabelStore, Labels } from '../core/value-labels.ts';
import type { EventOptions, NoteEvent } from './note-events.ts';
import { type ClientOptions, ServiceConnection } from './service-connection.ts';
import { encodeQueryString, toIfMatchHeaders } from './service-request.ts';
import { createUnexpectedBodyError, getSuccessBody, looksLikeNote, type ServiceResponse } from './service-response.ts';

export type {
  ClientOptions,
  ErrorCode,
  EventOptions,
  Found,
  IfMatch,
  LabelChanges,
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

/** A list with the entity tag of its state. */
export interface TaggedList {
  readonly notes: readonly Note[];
  readonly entityTag: string | undefined;
  /** The position of the list in the stream of events; undefined if the service has no stream. */
  readonly cursor: string | undefined;
}

export interface NoteClient extends NoteStore, LabelStore {
  /** Returns the list, or undefined if it still has the entity tag. An unchanged list costs little. */
  listIfChanged(entityTag: string | undefined, filter?: NoteFilter): Promise<TaggedList | undefined>;

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
    create: (draft) => service.sendJson('POST', '/notes', draft, looksLikeNote),

    get: (id) => service.fetchResult(`/notes/${id}`, looksLikeNote),

    list: (filter = {}) => service.fetchResult(`/notes${encodeQueryString(filter)}`, looksLikeNoteArray),

    async listIfChanged(entityTag, filter = {}) {
      const headers: Record<string, string> = entityTag === undefined ? {} : { 'If-None-Match': entityTag };
      const response = await service.fetchApi(`/notes${encodeQueryString(filter)}`, { headers });
      return response.status === 304 ? undefined : parseTaggedListResponse(response);
    },

    async *events(eventOptions = {}) {
      // imported here, as a list is shown without it
      const { streamNoteEvents } = await service.awaitReachable(import('./note-events.ts'));
      yield* streamNoteEvents((cursor, signal) => service.openEvents(cursor, signal), eventOptions);
    },

    search: async (query, searchOptions = {}) =>
      parseFoundNotes(await service.fetchApi(`/search${encodeQueryString({ q: query, ...searchOptions })}`, {})),

    update: (id, patch, ifMatch) =>
      service.sendJson('PUT', `/notes/${id}`, { ...patch, id }, looksLikeNote, toIfMatchHeaders(ifMatch)),

    async setArchived(id, archived, ifMatch) {
      const path = `/notes/${id}/${archived ? 'archive' : 'unarchive'}`;
      const init = { method: 'PATCH', headers: toIfMatchHeaders(ifMatch) };
      return getSuccessBody(await service.fetchApi(path, init), looksLikeNote);
    },

    async *history(id, limit) {
      yield await service.fetchResult(`/notes/${id}/history${encodeQueryString({ limit })}`, looksLikeNoteArray);
    },

    labels: () => service.fetchResult('/labels', isLabels),

    setLabels: (labels) => service.sendJson('PUT', '/labels', labels, isLabels),

    async [Symbol.asyncDispose]() {},
  };
}

function parseTaggedListResponse(response: ServiceResponse): TaggedList {
  const { headers } = response;
  const notes = getSuccessBody(response, looksLikeNoteArray);
  return { notes, entityTag: headers.get('etag') ?? undefined, cursor: headers.get(cursorHeader) ?? undefined };
}

/** Throws `unavailable` if the header with the number of all matches is missing. */
function parseFoundNotes(response: ServiceResponse): Found {
  const notes = getSuccessBody(response, looksLikeNoteArray);
  const total = response.headers.get(foundHeader);
  if (total === null) throw createUnexpectedBodyError(response.status);
  return { notes, total: Number(total) };
}

const isLabels = (body: unknown): body is Labels =>
  isObject(body) && groups.every((group) => body[group] === null || typeof body[group] === 'string');

/** Whether a body is an array. Its notes are not checked: a list may have 100,000. */
const looksLikeNoteArray = (body: unknown): body is Note[] => Array.isArray(body);
