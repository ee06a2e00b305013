import type { NoteFilter } from '../../../core/note.ts';
import { parseFilter } from '../../../core/parse.ts';
import { cursorHeader } from '../../../core/protocol.ts';
import type { JsonList, ListBody, NoteEngine } from '../../../core/store.ts';
import { CompressedLists, type Compression, codingFor, codings, createDecoder, createEncoder } from '../compression.ts';
import type { LargeAnswers } from '../large-answers.ts';
import { type AddRoute, splitUrl } from '../request.ts';
import { entityTags, jsonHeaders } from '../response-headers.ts';
import { ListCopy, SharedLists } from '../shared-lists.ts';

/** Adds the list of notes. */
export function addListRoutes(on: AddRoute, store: NoteEngine, large: LargeAnswers): void {
  const filterOf = remembering((query) => parseFilter(new URLSearchParams(query)));
  const answerList = createListAnswers(large);
  const shared = new SharedLists(store);

  /** Waits for the copy that other requests share; streams a list that is too long for that on its own. */
  const respondShared = async (filter: NoteFilter, request: Request, cursor?: string) => {
    const coding = acceptedCoding(request);
    const list = await shared.read(filter, coding ?? plainCoding);
    if (!(list instanceof ListCopy)) return answerList(list ?? (await store.listJson(filter)), request, cursor);
    const bytes = large.stream(list.open());
    const body = coding === undefined ? bytes.pipeThrough(createDecoder(plainCoding)) : bytes;
    return new Response(body, { headers: listHeaders(list.revision, cursor, coding) });
  };

  const respond = (filter: NoteFilter, list: JsonList, request: Request, cursor?: string) => {
    if (list.kind !== 'chunks' || !needsList(request)) return answerList(list, request, cursor);
    list.chunks.close().catch(large.brokeOff);
    return respondShared(filter, request, cursor);
  };

  const list = (filter: NoteFilter, cursor: string | undefined, request: Request) => {
    const known = knownRevisions(request);
    const isShared = known.length === 0 && shared.isLong(filter) && needsList(request);
    if (isShared) return respondShared(filter, request, cursor);
    const list = store.listJson(filter, known);
    if (list instanceof Promise) return list.then((later) => respond(filter, later, request, cursor));
    return respond(filter, list, request, cursor);
  };

  on('GET', '/api/notes', (c) => {
    const request = c.req.raw;
    const filter = filterOf(splitUrl(request.url).query);
    const cursor = store.feed?.cursor(); // before the list: writes in between are repeated
    return cursor instanceof Promise
      ? cursor.then((later) => list(filter, later, request))
      : list(filter, cursor, request);
  });
}

/** Memoizes: clients repeat the same few queries. Clears itself when it holds too many. */
function remembering<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    if (known.size >= 1000) known.clear();
    known.set(key, value);
    return value;
  };
}

/** Readers who accept no coding get the copy in this one, decompressed: it takes the least memory and time. */
const plainCoding = 'zstd';

/** Shorter lists, in bytes, are sent plain: compressing them costs more than it saves. */
const worthCoding = 16 * 1024;

const acceptedCoding = ({ headers }: Request) => codingFor(headers.get('accept-encoding'));

/** Whether the response contains the list unless the client has its revision. */
const needsList = ({ method, headers }: Request) => method === 'GET' && headers.get('if-none-match')?.trim() !== '*';

/** The revisions in the `If-None-Match` header, in any content coding. */
const knownRevisions = (request: Request): readonly string[] => knownTags(request).map(parseRevision);

function knownTags(request: Request): readonly string[] {
  const header = request.headers.get('if-none-match');
  const tags = header === null ? [] : entityTags(header);
  return tags === '*' ? [] : tags;
}

const codingSuffix = new RegExp(`\\.(${codings.join('|')})$`);

const parseRevision = (tag: string) => tag.replace(codingSuffix, '');

/** Answers a request for a list that contains all writes before `cursor`. */
type AnswerList = (list: JsonList, request: Request, cursor?: string) => Response | Promise<Response>;

/** Creates responses to list requests. A list that fails midway breaks the connection, to not look complete. */
function createListAnswers(large: LargeAnswers): AnswerList {
  const coded = new CompressedLists(() => large.mayHoldCopies);

  function answerWhole({ body, revision }: WholeList, coding?: Compression, cursor?: string) {
    const copy = coding && coded.get(body, coding);
    if (copy) return copy.then((made) => large.answer(made, listHeaders(revision, cursor, coding)));
    return large.answer(body, plainHeadersOf(body, revision, cursor));
  }

  function answerChunks({ chunks, revision }: LongList, coding?: Compression, cursor?: string): Response {
    const headers = listHeaders(revision, cursor, coding);
    if (coding === undefined) return new Response(large.stream(chunks), { headers });
    const stream = large.stream(chunks);
    return new Response(stream.pipeThrough(createEncoder(coding)), { headers });
  }

  function answerUnread(list: JsonList, headers: Record<string, string>, status = 200): Response {
    if (list.kind === 'chunks') list.chunks.close().catch(large.brokeOff);
    return new Response(null, { status, headers });
  }

  return (list, request, cursor) => {
    const { method, headers } = request;
    if (list.kind === 'unchanged' || headers.get('if-none-match')?.trim() === '*') {
      const tag = knownTags(request).find((known) => parseRevision(known) === list.revision) ?? list.revision;
      return answerUnread(list, listHeaders(tag, cursor), 304);
    }
    const isLarge = list.kind === 'chunks' || list.body.size >= worthCoding;
    const coding = isLarge ? acceptedCoding(request) : undefined;
    if (method === 'HEAD') {
      const length = list.kind === 'whole' && !coding ? { 'Content-Length': String(list.body.size) } : {};
      return answerUnread(list, { ...listHeaders(list.revision, cursor, coding), ...length });
    }
    return list.kind === 'whole' ? answerWhole(list, coding, cursor) : answerChunks(list, coding, cursor);
  };
}

type WholeList = Extract<JsonList, { kind: 'whole' }>;
type LongList = Extract<JsonList, { kind: 'chunks' }>;

/** Headers by body, built once per cursor: most lists are requested repeatedly. */
const plainHeaders = new WeakMap<ListBody, { readonly cursor: string | undefined; readonly headers: Headers }>();

function plainHeadersOf(body: ListBody, revision: string, cursor: string | undefined): Headers {
  const known = plainHeaders.get(body);
  if (known?.cursor === cursor && known !== undefined) return known.headers;
  const headers = new Headers(listHeaders(revision, cursor));
  plainHeaders.set(body, { cursor, headers });
  return headers;
}

const listHeaders = (tag: string, cursor: string | undefined, coding?: Compression): Record<string, string> => ({
  ...jsonHeaders,
  ETag: `"${coding === undefined ? tag : `${tag}.${coding}`}"`,
  Vary: 'Accept-Encoding',
  ...(coding !== undefined && { 'Content-Encoding': coding }),
  ...(cursor !== undefined && { [cursorHeader]: cursor }),
});
