import { type Code, NoteError } from '../domain/error.ts';
import { parsed } from '../domain/json.ts';
import * as message from '../domain/message.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch } from '../domain/note.ts';
import type { IfMatch, NoteStore } from '../domain/store.ts';

export type { Code, IfMatch, Note, NoteDraft, NoteFilter, NotePatch, NoteStore };
export { NoteError };

export interface ClientOptions {
  /** How requests are sent; the runtime's `fetch` when left out. */
  readonly send?: (url: string, init: RequestInit) => Promise<Response>;
  /** How long one request may take, in ms. */
  readonly timeoutMs?: number;
}

/** A body of an answer that was parsed, or undefined where it was no JSON. */
export type Json = unknown;

export const json = { 'Content-Type': 'application/json' };

/** What a status of the service stands for; any other one is `unavailable`. */
const codeOf: Readonly<Record<number, Code>> = { 400: 'invalid', 404: 'not_found', 412: 'conflict' };

/** A list, and the entity tag that names its state. */
export interface TaggedList {
  readonly notes: readonly Note[];
  readonly entityTag: string | undefined;
}

export interface NoteClient extends NoteStore {
  /** The list, or undefined when it is still the one that had the entity tag `known`: asking again costs little. */
  listUnless(known: string | undefined, filter?: NoteFilter): Promise<TaggedList | undefined>;
}

/**
 * A store of notes behind the service at `baseUrl`, whose path is kept. Runs in browsers, Bun and Node 20.
 * Every failure is a `NoteError`: `unreachable` when no answer came, else the code that the answer stands for.
 */
export function createClient(baseUrl: string, options: ClientOptions = {}): NoteClient {
  const { send = (url, init) => fetch(url, init), timeoutMs = 60_000 } = options;
  const notes = `${baseUrl.replace(/\/+$/, '')}/api/notes`;

  async function ask<Result>(
    isResult: (body: Json) => body is Result,
    url: string,
    init: RequestInit,
  ): Promise<Result> {
    return resultIn(await answerTo(url, init), isResult);
  }

  async function answerTo(url: string, init: RequestInit): Promise<Answer> {
    try {
      const answer = await send(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const entityTag = answer.headers.get('etag') ?? undefined;
      return { status: answer.status, entityTag, body: parsed(await answer.text()) };
    } catch (cause) {
      throw new NoteError('unreachable', message.unreachable(baseUrl), { cause });
    }
  }

  return {
    create: (draft) => ask(isNote, notes, { method: 'POST', headers: json, body: JSON.stringify(draft) }),

    get: (id) => ask(isNote, `${notes}/${id}`, {}),

    list: (filter = {}) => ask(isNotes, `${notes}${queryOf(filter)}`, {}),

    async listUnless(known, filter = {}) {
      const headers: Record<string, string> = known === undefined ? {} : { 'If-None-Match': known };
      const answer = await answerTo(`${notes}${queryOf(filter)}`, { headers });
      if (answer.status === 304) return undefined;
      return { notes: resultIn(answer, isNotes), entityTag: answer.entityTag };
    },

    update(id, patch, ifMatch) {
      const headers = { ...json, ...condition(ifMatch) };
      return ask(isNote, `${notes}/${id}`, { method: 'PUT', headers, body: JSON.stringify({ ...patch, id }) });
    },

    setArchived(id, archived, ifMatch) {
      const url = `${notes}/${id}/${archived ? 'archive' : 'unarchive'}`;
      return ask(isNote, url, { method: 'PATCH', headers: condition(ifMatch) });
    },

    async [Symbol.asyncDispose]() {},
  };
}

interface Answer {
  readonly status: number;
  readonly entityTag?: string | undefined;
  readonly body: Json;
}

/** What an answer holds. Throws what its status stands for. */
export function resultIn<Result>({ status, body }: Answer, isResult: (body: Json) => body is Result): Result {
  if (status === 200 && isResult(body)) return body;
  const error = errorIn(body);
  if (error === undefined) throw new NoteError('unavailable', message.strangeAnswer(status));
  throw new NoteError(codeOf[status] ?? 'unavailable', error);
}

export function queryOf(filter: NoteFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

const condition = (ifMatch: IfMatch | undefined): Record<string, string> =>
  ifMatch === undefined ? {} : { 'If-Match': ifMatch.map((updatedAt) => `"${updatedAt}"`).join(', ') };

const isNote = (body: Json): body is Note => typeof body === 'object' && body !== null && 'id' in body;

const isNotes = (body: Json): body is Note[] => Array.isArray(body);

function errorIn(body: Json): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  return typeof body.error === 'string' ? body.error : undefined;
}
