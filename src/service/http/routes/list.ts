import type { NoteFilter } from '../../../core/note.ts';
import { parseFilter } from '../../../core/parse.ts';
import { cursorHeader } from '../../../core/protocol.ts';
import type { JsonList, ListBody, NoteEngine } from '../../../core/store.ts';
import { CompressedLists, type Compression, codingFor, codings, encoder } from '../compression.ts';
import { entityTags, jsonHeaders } from '../headers.ts';
import type { LargeAnswers } from '../large-answers.ts';
import { type AddRoute, splitUrl } from '../request.ts';

/** Adds the list of notes. */
export function addListRoutes(on: AddRoute, store: NoteEngine, large: LargeAnswers): void {
  const filterOf = remembering((query) => parseFilter(new URLSearchParams(query)));
  const answerList = createListAnswers(large);

  const list = (filter: NoteFilter, cursor: string | undefined, request: Request) => {
    const list = store.listJson(filter, knownRevisions(request));
    if (list instanceof Promise) return list.then((later) => answerList(later, request, cursor));
    return answerList(list, request, cursor);
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

/** Shorter lists, in bytes, are sent plain: compressing them costs more than it saves. */
const worthCoding = 16 * 1024;

/** The revisions in the `If-None-Match` header, in any content coding. */
const knownRevisions = (request: Request): readonly string[] => knownTags(request).map(revisionOf);

function knownTags(request: Request): readonly string[] {
  const header = request.headers.get('if-none-match');
  const tags = header === null ? [] : entityTags(header);
  return tags === '*' ? [] : tags;
}

const codingSuffix = new RegExp(`\\.(${codings.join('|')})$`);

const revisionOf = (tag: string) => tag.replace(codingSuffix, '');

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
    return new Response(stream.pipeThrough(encoder(coding)), { headers });
  }

  function answerUnread(list: JsonList, headers: Record<string, string>, status = 200): Response {
    if (list.kind === 'chunks') list.chunks.close().catch(large.brokeOff);
    return new Response(null, { status, headers });
  }

  return (list, request, cursor) => {
    const { method, headers } = request;
    if (list.kind === 'unchanged' || headers.get('if-none-match')?.trim() === '*') {
      const tag = knownTags(request).find((known) => revisionOf(known) === list.revision) ?? list.revision;
      return answerUnread(list, listHeaders(tag, cursor), 304);
    }
    const isLarge = list.kind === 'chunks' || list.body.size >= worthCoding;
    const coding = isLarge ? codingFor(headers.get('accept-encoding')) : undefined;
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
