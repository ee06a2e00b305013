import { categories, colors, groups } from '../core/enums.ts';
import { NoteError, type NoteErrorOptions } from '../core/error.ts';
import { labelsFrom } from '../core/labels.ts';
import { JsonArrayError, notesIn } from '../core/long-json.ts';
import * as message from '../core/message.ts';
import type { Note, PortableNote } from '../core/note.ts';
import {
  type CreatedNote,
  type MergeResult,
  mergeOutcomes,
  type NoteOrigin,
  type PortableStore,
  searchLimits,
} from '../core/store.ts';
import { isObject, parsed } from '../core/tools/json.ts';
import { utf8Length } from '../core/tools/utf8.ts';
import {
  type Answer,
  createClient,
  errorOf,
  jsonType,
  queryOf,
  readFailed,
  resultIn,
  strangeAnswer,
  unreachable,
  withToken,
} from './client.ts';

/** Limits of a merge request; a single note may be longer. */
const maxBatch = { notes: 1_000, bytes: 512 * 1024 };

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
  const { token, silenceMs = 120_000 } = options;
  const location = withoutCredentials(url);
  const address = url.replace(/\/+$/, '');
  const ask = async (path: string, init: RequestInit) => {
    const answer = await fetch(address + path, { ...withToken(init, token), redirect: 'error' }); // to no other host
    if (answer.status === 404 && !(await isOfMissingNote(answer, path))) throw notThere(location, path, init);
    return answer;
  };
  const client = createClient(location, { send: (to, init) => ask(to.slice(location.length), init), timeoutMs });

  async function answerTo(path: string, init: RequestInit, timeout: SilenceTimeout): Promise<Response> {
    try {
      return await timeout.during(ask(path, { ...init, signal: timeout.signal }));
    } catch (cause) {
      throw cause instanceof NoteError ? cause : unreachable(location, cause, init);
    }
  }

  const brokeOff = (cause: unknown, known: NoteErrorOptions) =>
    new NoteError('unavailable', `The answer of the notes service at ${location} was cut off. Try again`, {
      ...known,
      cause,
    });

  /** Reads a response to its end. */
  async function readAnswer(answer: Response, timeout: SilenceTimeout, isRead = true): Promise<Answer> {
    const { status, headers } = answer;
    try {
      return { status, headers, isRead, body: parsed(await timeout.during(answer.text())) };
    } catch (error) {
      throw brokeOff(error, isRead ? readFailed : {});
    }
  }

  async function mergeSome({ texts }: Batch, dryRun: boolean): Promise<readonly MergeResult[]> {
    const timeout = new SilenceTimeout(silenceMs);
    const body = `{"notes":[${texts}],"dryRun":${dryRun}}`;
    const response = await answerTo('/merge', { method: 'POST', headers: jsonType, body }, timeout);
    const answer = await readAnswer(response, timeout, dryRun);
    return resultIn(answer, areMergeResults(texts.length)).results;
  }

  /** Streams the array of notes at `path`. */
  async function* notesAt(path: string): AsyncGenerator<readonly Note[], void, void> {
    const timeout = new SilenceTimeout(silenceMs);
    const answer = await answerTo(path, {}, timeout);
    if (answer.status !== 200) throw errorOf(await readAnswer(answer, timeout));
    try {
      for await (const notes of notesIn(chunksOf(answer, timeout))) yield notes.map(checked);
    } catch (error) {
      if (error instanceof NoteError && error.code === 'unavailable') throw error;
      throw isNoList(error) ? new NoteError('unavailable', strangeAnswer(200)) : brokeOff(error, readFailed);
    }
  }

  return {
    create: async (draft) => checked(await client.create(draft)),
    get: async (id) => checked(await client.get(id)),
    list: async (filter) => (await client.list(filter)).map(checked),
    update: async (id, patch, ifMatch) => checked(await client.update(id, patch, ifMatch)),
    setArchived: async (id, archived, ifMatch) => checked(await client.setArchived(id, archived, ifMatch)),
    location,

    async search(query, options) {
      if (query.length > searchLimits.query) return undefined;
      const found = await client.search(query, options);
      return { ...found, notes: found.notes.map(checked) };
    },

    scan: (filter = {}) => notesAt(`/api/notes${queryOf(filter)}`),

    history: (id, limit) => notesAt(`/api/notes/${id}/history${queryOf({ limit })}`),

    labels: async () => labelsFrom(Object.entries(await client.labels())),

    setLabels: (labels) => client.setLabels(labels),

    async *scanVersions() {
      for await (const notes of this.scan()) for (const { id } of notes) yield* this.history(id);
    },

    async origins(after) {
      const timeout = new SilenceTimeout(silenceMs);
      const answer = await readAnswer(await answerTo(`/origins?after=${after}`, {}, timeout), timeout);
      return resultIn(answer, isOrigins);
    },

    async findCreatedAt(times, after) {
      const timeout = new SilenceTimeout(silenceMs);
      const init = { method: 'POST', headers: jsonType, body: JSON.stringify({ times, after }) };
      const answer = await readAnswer(await answerTo('/created', init, timeout), timeout);
      return resultIn(answer, areCreatedNotes);
    },

    async merge(notes, { dryRun = false } = {}) {
      const results: MergeResult[] = [];
      for (const batch of batchesOf(notes)) results.push(...(await mergeSome(batch, dryRun)));
      return results;
    },

    async [Symbol.asyncDispose]() {},
  };
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Validates a note, as any program may have answered. Throws `unavailable` if it is not one. */
function checked(note: Note): Note {
  const { id, title, content, category, group, color, archived, createdAt, updatedAt } = note ?? {};
  const isNote =
    Number.isSafeInteger(id) &&
    [title, content, createdAt, updatedAt].every((text) => typeof text === 'string') &&
    [createdAt, updatedAt].every((text) => time.test(text)) &&
    categories.includes(category) &&
    groups.includes(group) &&
    colors.includes(color) &&
    typeof archived === 'boolean';
  if (!isNote) throw new NoteError('unavailable', strangeAnswer(200));
  return note;
}

/** Whether a response of status 404 is that of a service without this note, not of another program or path. */
async function isOfMissingNote(answer: Response, path: string): Promise<boolean> {
  const [, id] = /^\/api\/notes\/(\d+)/.exec(path) ?? [];
  if (id === undefined) return false;
  const body = parsed(await answer.clone().text());
  return isObject(body) && body['error'] === message.noSuchNote(id);
}

/** The error of a request to an address where no notes service is. */
function notThere(location: string, path: string, { method = 'GET' }: RequestInit): NoteError {
  const { pathname } = new URL(location + path);
  const advice = new URL(location).pathname === '/' ? 'Check the address' : 'Check the path';
  const sentence = `${location} is not a notes service: it answered 404 to ${method} ${pathname}. ${advice}`;
  return new NoteError('unreachable', sentence, { outcome: 'none' });
}

function withoutCredentials(url: string): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/+$/, '');
}

interface Batch {
  readonly texts: string[];
  bytes: number;
}

/** Splits notes into requests; keeps consecutive notes with one id together. */
function* batchesOf(notes: readonly PortableNote[]): Generator<Batch, void, void> {
  let batch: Batch = { texts: [], bytes: 0 };
  for (const [at, note] of notes.entries()) {
    const text = JSON.stringify(note);
    const bytes = utf8Length(text);
    const isFull = batch.texts.length === maxBatch.notes || batch.bytes + bytes > maxBatch.bytes;
    const isNext = note.id !== undefined && note.id === notes[at - 1]?.id;
    if (isFull && !isNext && batch.texts.length > 0) {
      yield batch;
      batch = { texts: [], bytes: 0 };
    }
    batch.texts.push(text);
    batch.bytes += bytes;
  }
  if (batch.texts.length > 0) yield batch;
}

/** Aborts a request if the service is silent for too long; the consumer may take any time. */
class SilenceTimeout extends AbortController {
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  during<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.abort(), this.#ms);
    return work.finally(() => clearTimeout(timer));
  }
}

async function* chunksOf({ body }: Response, timeout: SilenceTimeout): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await timeout.during(Promise.resolve(reader?.read()));
      if (next?.value === undefined) return;
      yield next.value;
    }
  } finally {
    timeout.abort();
  }
}

const areMergeResults =
  (count: number) =>
  (body: unknown): body is { readonly results: readonly MergeResult[] } =>
    isObject(body) &&
    Array.isArray(body['results']) &&
    body['results'].length === count &&
    body['results'].every(isMergeResult);

const isMergeResult = (result: unknown): result is MergeResult =>
  isObject(result) &&
  mergeOutcomes.some((outcome) => outcome === result['outcome']) &&
  (result['id'] === undefined || Number.isSafeInteger(result['id']));

const isOrigins = (body: unknown): body is NoteOrigin[] =>
  Array.isArray(body) &&
  body.every((one) => isObject(one) && Number.isSafeInteger(one['id']) && isText(one['key']) && isText(one['taken']));

const areCreatedNotes = (body: unknown): body is CreatedNote[] =>
  Array.isArray(body) &&
  body.every(
    (one) =>
      isObject(one) &&
      Number.isSafeInteger(one['id']) &&
      [one['titleStart'], one['category'], one['createdAt']].every(isText),
  );

const isText = (value: unknown) => typeof value === 'string';

const isNoList = (error: unknown) =>
  error instanceof SyntaxError || (error instanceof JsonArrayError && !error.isArray);
