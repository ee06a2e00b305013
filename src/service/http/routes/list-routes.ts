import type { NoteFilter } from '../../../core/note.ts';
import { cursorHeader } from '../../../core/protocol.ts';
import { parseFilter } from '../../../core/request-parameters.ts';
import type { JsonList, ListBody, NoteEngine } from '../../../core/store.ts';
import {
  CompressedListCache,
  type ContentCoding,
  chooseCoding,
  contentCodings,
  createCompressionStream,
  createDecompressionStream,
} from '../compression.ts';
import { listIfNoneMatchTags } from '../conditional-headers.ts';
import type { LargeResponses } from '../large-responses.ts';
import { type AddRoute, splitPathAndQuery } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';
import { CompressedListCopy, SharedListCache } from '../shared-lists.ts';

/** Adds the route of the list of notes. */
export function addNoteListRoute(on: AddRoute, store: NoteEngine, large: LargeResponses): void {
  const parseListFilter = createBoundedMemo((query) => parseFilter(new URLSearchParams(query)));
  const respondList = createListResponder(large);
  const shared = new SharedListCache(store);

  /**
   * Waits for the copy that other requests share. A list that is too long for a copy is streamed to this request alone.
   */
  const respondWithSharedList = async (filter: NoteFilter, request: Request, cursor?: string) => {
    const coding = chooseCodingForRequest(request);
    const list = await shared.tryReadCompressedOrShortList(filter, coding ?? sharedPlainCoding);
    if (!(list instanceof CompressedListCopy))
      return respondList(list ?? (await store.listJson(filter)), request, cursor);
    const bytes = await large.openStreamOrThrowBusy(list.openChunks());
    const body = coding === undefined ? bytes.pipeThrough(createDecompressionStream(sharedPlainCoding)) : bytes;
    return new Response(body, { headers: createListHeaders(list.revision, cursor, coding) });
  };

  const respondAloneOrShared = (filter: NoteFilter, list: JsonList, request: Request, cursor?: string) => {
    if (list.kind !== 'chunks' || !responseMayNeedList(request)) return respondList(list, request, cursor);
    list.chunks.close().catch(large.onBreak);
    return respondWithSharedList(filter, request, cursor);
  };

  const readListAndRespond = (filter: NoteFilter, cursor: string | undefined, request: Request) => {
    const known = listKnownRevisions(request);
    const isShared = known.length === 0 && shared.isListKnownToBeLong(filter) && responseMayNeedList(request);
    if (isShared) return respondWithSharedList(filter, request, cursor);
    const list = store.listJson(filter, known);
    if (list instanceof Promise) return list.then((later) => respondAloneOrShared(filter, later, request, cursor));
    return respondAloneOrShared(filter, list, request, cursor);
  };

  on('GET', '/api/notes', (c) => {
    const request = c.req.raw;
    const filter = parseListFilter(splitPathAndQuery(request.url).query);
    const cursor = store.feed?.readCursor(); // before the list: writes in between are repeated
    return cursor instanceof Promise
      ? cursor.then((later) => readListAndRespond(filter, later, request))
      : readListAndRespond(filter, cursor, request);
  });
}

/**
 * Creates a function that remembers its values by key, as clients repeat the same few queries. It forgets all values
 * when they are more than 1,000.
 */
function createBoundedMemo<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const former = known.get(key);
    if (former !== undefined) return former;
    const value = make(key);
    if (known.size >= 1000) known.clear();
    known.set(key, value);
    return value;
  };
}

/**
 * Readers who accept no coding share the copy in this coding, and each gets it decompressed: this one needs the least
 * memory and time.
 */
const sharedPlainCoding = 'zstd';

/** Shorter lists, in bytes, are sent plain: compressing them costs more than it saves. */
const minCompressedBytes = 16 * 1024;

const chooseCodingForRequest = ({ headers }: Request) => chooseCoding(headers.get('accept-encoding'));

/** Says whether the response contains the list unless the client has its revision. */
const responseMayNeedList = ({ method, headers }: Request) =>
  method === 'GET' && headers.get('if-none-match')?.trim() !== '*';

/** Parses the revisions in the `If-None-Match` header, in any content coding. */
const listKnownRevisions = (request: Request): readonly string[] =>
  listKnownEntityTags(request).map(removeCodingSuffix);

function listKnownEntityTags(request: Request): readonly string[] {
  const header = request.headers.get('if-none-match');
  const tags = header === null ? [] : listIfNoneMatchTags(header);
  return tags === '*' ? [] : tags;
}

const codingSuffix = new RegExp(`\\.(${contentCodings.join('|')})$`);

const removeCodingSuffix = (tag: string) => tag.replace(codingSuffix, '');

/** Responds to a request with a list that contains all writes before `cursor`. */
type RespondList = (list: JsonList, request: Request, cursor?: string) => Response | Promise<Response>;

/** Creates responses to list requests. A list that fails midway breaks the connection, to not look complete. */
function createListResponder(large: LargeResponses): RespondList {
  const coded = new CompressedListCache(() => large.canHoldCopies);

  function respondBuffered({ body, revision }: InMemoryList, coding?: ContentCoding, cursor?: string) {
    const copy = coding && coded.findOrTryToCreateCopy(body, coding);
    if (copy) return copy.then((made) => large.respond(made, createListHeaders(revision, cursor, coding)));
    return large.respond(body, getOrCreatePlainHeaders(body, revision, cursor));
  }

  async function respondStreamed({ chunks, revision }: StreamedList, coding?: ContentCoding, cursor?: string) {
    const stream = await large.openStreamOrThrowBusy(chunks);
    const body = coding === undefined ? stream : stream.pipeThrough(createCompressionStream(coding));
    return new Response(body, { headers: createListHeaders(revision, cursor, coding) });
  }

  function closeListAndRespondEmpty(list: JsonList, headers: Record<string, string>, status = 200): Response {
    if (list.kind === 'chunks') list.chunks.close().catch(large.onBreak);
    return new Response(null, { status, headers });
  }

  return (list, request, cursor) => {
    const { method, headers } = request;
    if (list.kind === 'unchanged' || headers.get('if-none-match')?.trim() === '*') {
      const tag =
        listKnownEntityTags(request).find((known) => removeCodingSuffix(known) === list.revision) ?? list.revision;
      return closeListAndRespondEmpty(list, createListHeaders(tag, cursor), 304);
    }
    const isLarge = list.kind === 'chunks' || list.body.size >= minCompressedBytes;
    const coding = isLarge ? chooseCodingForRequest(request) : undefined;
    if (method === 'HEAD') {
      const length = list.kind === 'whole' && !coding ? { 'Content-Length': String(list.body.size) } : {};
      return closeListAndRespondEmpty(list, { ...createListHeaders(list.revision, cursor, coding), ...length });
    }
    return list.kind === 'whole' ? respondBuffered(list, coding, cursor) : respondStreamed(list, coding, cursor);
  };
}

type InMemoryList = Extract<JsonList, { kind: 'whole' }>;
type StreamedList = Extract<JsonList, { kind: 'chunks' }>;

/** Headers are built once per body and cursor, as most lists are requested repeatedly. */
const cachedPlainHeaders = new WeakMap<ListBody, { readonly cursor: string | undefined; readonly headers: Headers }>();

function getOrCreatePlainHeaders(body: ListBody, revision: string, cursor: string | undefined): Headers {
  const known = cachedPlainHeaders.get(body);
  if (known?.cursor === cursor && known !== undefined) return known.headers;
  const headers = new Headers(createListHeaders(revision, cursor));
  cachedPlainHeaders.set(body, { cursor, headers });
  return headers;
}

const createListHeaders = (
  tag: string,
  cursor: string | undefined,
  coding?: ContentCoding,
): Record<string, string> => ({
  ...jsonHeaders,
  ETag: `"${coding === undefined ? tag : `${tag}.${coding}`}"`,
  Vary: 'Accept-Encoding',
  ...(coding !== undefined && { 'Content-Encoding': coding }),
  ...(cursor !== undefined && { [cursorHeader]: cursor }),
});
