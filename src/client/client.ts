import { groups } from '../core/enums.ts';
import { type Code, NoteError, type NoteErrorOptions, type WriteOutcome, writeOutcomes } from '../core/error.ts';
import type { LabelStore, Labels } from '../core/labels.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch } from '../core/note.ts';
import { codeOfStatus, cursorHeader, foundHeader, outcomeHeader } from '../core/protocol.ts';
import type { Found, IfMatch, NoteStore, SearchOptions } from '../core/store.ts';
import { isObject, parsed } from '../core/tools/json.ts';
import type { EventOptions, NoteEvent } from './events.ts';

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

export const jsonType = { 'Content-Type': 'application/json' };

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
  const { send: sendAny = (url, init) => fetch(url, init), token, timeoutMs = 60_000 } = options;
  const send = (url: string, init: RequestInit) => sendAny(url, withToken(init, token));
  const api = `${baseUrl.replace(/\/+$/, '')}/api`;
  const notes = `${api}/notes`;

  async function ask<Result>(
    isResult: (body: unknown) => body is Result,
    url: string,
    init: RequestInit,
  ): Promise<Result> {
    return resultIn(await answerTo(url, init), isResult);
  }

  async function answerTo(url: string, init: RequestInit): Promise<Answer> {
    try {
      const answer = await send(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const { status, headers } = answer;
      return { status, headers, isRead: init.method === undefined, body: parsed(await answer.text()) };
    } catch (cause) {
      throw cause instanceof NoteError ? cause : unreachable(baseUrl, cause, init);
    }
  }

  function failUnreachable(cause: unknown): never {
    throw unreachable(baseUrl, cause);
  }

  async function openEvents(cursor: string | undefined, signal: AbortSignal): Promise<Response> {
    const answer = await send(`${api}/events${queryOf({ cursor })}`, { signal }).catch(failUnreachable);
    const { ok, status, headers } = answer;
    if (ok) return answer;
    throw errorOf({ status, headers, isRead: true, body: parsed(await answer.text().catch(failUnreachable)) });
  }

  return {
    create: (draft) => ask(isNote, notes, { method: 'POST', headers: jsonType, body: JSON.stringify(draft) }),

    get: (id) => ask(isNote, `${notes}/${id}`, {}),

    list: (filter = {}) => ask(isNotes, `${notes}${queryOf(filter)}`, {}),

    async listUnless(known, filter = {}) {
      const headers: Record<string, string> = known === undefined ? {} : { 'If-None-Match': known };
      const answer = await answerTo(`${notes}${queryOf(filter)}`, { headers });
      if (answer.status === 304) return undefined;
      const header = (name: string) => answer.headers.get(name) ?? undefined;
      return { notes: resultIn(answer, isNotes), entityTag: header('etag'), cursor: header(cursorHeader) };
    },

    async *events(options = {}) {
      const { eventsOf } = await import('./events.ts').catch(failUnreachable); // not needed to show a list
      yield* eventsOf(openEvents, options);
    },

    async search(query, options = {}) {
      const answer = await answerTo(`${api}/search${queryOf({ q: query, ...options })}`, {});
      const found = resultIn(answer, isNotes);
      const total = answer.headers.get(foundHeader);
      if (total === null) throw new NoteError('unavailable', strangeAnswer(answer.status));
      return { notes: found, total: Number(total) };
    },

    update(id, patch, ifMatch) {
      const headers = { ...jsonType, ...condition(ifMatch) };
      return ask(isNote, `${notes}/${id}`, { method: 'PUT', headers, body: JSON.stringify({ ...patch, id }) });
    },

    setArchived(id, archived, ifMatch) {
      const url = `${notes}/${id}/${archived ? 'archive' : 'unarchive'}`;
      return ask(isNote, url, { method: 'PATCH', headers: condition(ifMatch) });
    },

    async *history(id, limit) {
      yield await ask(isNotes, `${notes}/${id}/history${queryOf({ limit })}`, {});
    },

    labels: () => ask(isLabels, `${api}/labels`, {}),

    setLabels: (labels) =>
      ask(isLabels, `${api}/labels`, { method: 'PUT', headers: jsonType, body: JSON.stringify(labels) }),

    async [Symbol.asyncDispose]() {},
  };
}

/** Adds the token, if any, to a request. */
export const withToken = (init: RequestInit, token: string | undefined): RequestInit =>
  token === undefined ? init : { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } };

/** A response that has been read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly isRead: boolean;
  /** Parsed; undefined if it is not JSON. */
  readonly body: unknown;
}

/** Options of the error of a failed read: safe to retry. */
export const readFailed = { outcome: 'none', retry: true } as const;

/** The error of a request without a response. */
export const unreachable = (address: string, cause: unknown, { method }: RequestInit = {}) =>
  new NoteError('unreachable', `No notes service answers at ${address}`, {
    ...(method === undefined && readFailed),
    cause,
  });

/** Returns the body of a response. Throws its error. */
export function resultIn<Result>(answer: Answer, isResult: (body: unknown) => body is Result): Result {
  if (answer.status === 200 && isResult(answer.body)) return answer.body;
  throw errorOf(answer);
}

/** Says that a response is none of this service. */
export const strangeAnswer = (status: number) => `The service answered ${status} with an unexpected body`;

/** Statuses by which a proxy says that the service behind it does not answer. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** Only proxies send this status: the service itself responds to large bodies with 400. */
const proxyBodyLimitStatus = 413;
const proxyRefusesBody =
  'A proxy in front of the service refuses request bodies of this size (413). Nothing was stored. ' +
  'Raise its limit, which is client_max_body_size in nginx';

/** The `NoteError` that status and headers of a response describe. */
export function errorOf(answer: Answer): NoteError {
  const { status, body } = answer;
  const error = isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined;
  if (status === proxyBodyLimitStatus) return new NoteError('invalid', proxyRefusesBody);
  const strange = gatewayStatuses.includes(status) ? 'unreachable' : 'unavailable';
  const code = error === undefined ? strange : codeOfStatus(status);
  return new NoteError(code, error ?? strangeAnswer(status), optionsIn(answer));
}

/** Reads outcome and retry from the headers; without them, the defaults of the code apply. */
function optionsIn({ headers, isRead }: Answer): NoteErrorOptions {
  const given = headers.get(outcomeHeader);
  const outcome = isRead ? 'none' : writeOutcomes.find((known) => known === given);
  const retry = outcome === 'none' && headers.has('retry-after');
  return outcome === undefined ? { retry } : { outcome, retry };
}

/** Leaves out undefined values. */
export function queryOf(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** An empty condition, which never holds, is the empty tag: a header needs one, and no note has that. */
const condition = (ifMatch: IfMatch | undefined): Record<string, string> =>
  ifMatch === undefined ? {} : { 'If-Match': ifMatch.map((updatedAt) => `"${updatedAt}"`).join(', ') || '""' };

const isNote = (body: unknown): body is Note => isObject(body) && 'id' in body;

const isLabels = (body: unknown): body is Labels =>
  isObject(body) && groups.every((group) => body[group] === null || typeof body[group] === 'string');

const isNotes = (body: unknown): body is Note[] => Array.isArray(body);
