import type { JsonChunks, JsonList } from '../domain/store.ts';
import { CodedLists } from './coded-lists.ts';
import { type Coding, codingFor, codings, encoder } from './encoding.ts';
import { entityTags, jsonHeaders } from './headers.ts';

/** A list of fewer characters goes out as it is: coding it would cost more than it saves. */
const worthCoding = 16 * 1024;

/** A reader that takes nothing for this long, in ms, is given up. */
const stalledMs = 120_000;

/** The revisions in the `If-None-Match` header of a request, whichever coding they were sent in. */
export const knownRevisions = (request: Request): readonly string[] => knownTags(request).map(revisionOf);

function knownTags(request: Request): readonly string[] {
  const header = request.headers.get('if-none-match');
  const tags = header === null ? [] : entityTags(header);
  return tags === '*' ? [] : tags;
}

const codingSuffix = new RegExp(`\\.(${codings.join('|')})$`);

const revisionOf = (tag: string) => tag.replace(codingSuffix, '');

type FullList = Exclude<JsonList, { kind: 'unchanged' }>;

/** Most memory for coded copies of lists. */
const codedBytes = 16 * 1024 * 1024;

/** Answers a request for a list. */
export type AnswerList = (list: JsonList, request: Request) => Response | Promise<Response>;

/**
 * Makes the answers to requests for lists. A list that breaks off in the middle breaks the connection, never ends well;
 * `brokeOff` is then told why.
 */
export function createListAnswers(brokeOff: (error: unknown) => void): AnswerList {
  const coded = new CodedLists(codedBytes);

  function answerCoded(list: FullList, coding: Coding, method: string): Response | Promise<Response> {
    const tag = `${list.revision}.${coding}`;
    const headers = { ...listHeaders(tag), 'Content-Encoding': coding };
    if (method === 'HEAD') return answerHead(list, headers);
    const copy = list.kind === 'whole' ? coded.get(tag, coding, list.body) : undefined;
    if (copy instanceof Promise) return copy.then((body) => new Response(body, { headers }));
    return new Response(copy ?? streamOf(list).pipeThrough(encoder(coding)), { headers });
  }

  /** Nobody will read it. */
  function leave(list: FullList): void {
    if (list.kind === 'chunks') list.chunks.close().catch(brokeOff);
  }

  function answerHead(list: FullList, headers: Record<string, string>): Response {
    leave(list);
    return new Response(null, { headers: { ...headers, 'Transfer-Encoding': 'chunked' } }); // else it is given a length of 0
  }

  const streamOf = (list: FullList): ReadableStream<Bun.BufferSource> =>
    list.kind === 'whole' ? list.body.stream() : streamOfChunks(list.chunks, brokeOff);

  return (list, request) => {
    const { method, headers } = request;
    if (list.kind === 'unchanged') {
      const tag = knownTags(request).find((known) => revisionOf(known) === list.revision) ?? list.revision;
      return new Response(null, { status: 304, headers: listHeaders(tag) });
    }
    if (headers.get('if-none-match')?.trim() === '*') {
      leave(list);
      return new Response(null, { status: 304, headers: listHeaders(list.revision) });
    }
    const isLarge = list.kind === 'chunks' || list.body.size >= worthCoding;
    const coding = isLarge ? codingFor(headers.get('accept-encoding')) : undefined;
    if (coding) return answerCoded(list, coding, method);
    if (list.kind === 'whole') return answerPlain(list.body, list.revision, method);
    if (method === 'HEAD') return answerHead(list, listHeaders(list.revision));
    return new Response(streamOf(list), { headers: listHeaders(list.revision) });
  };
}

/** Headers that go with a body, made once: most lists are asked for again and again. */
const plainHeaders = new WeakMap<Blob, Headers>();

function answerPlain(body: Blob, revision: string, method: string): Response {
  let headers = plainHeaders.get(body);
  if (headers === undefined) {
    headers = new Headers(listHeaders(revision));
    plainHeaders.set(body, headers);
  }
  if (method !== 'HEAD') return new Response(body, { headers });
  return new Response(null, { headers: { ...listHeaders(revision), 'Content-Length': String(body.size) } });
}

const listHeaders = (tag: string): Record<string, string> => ({
  ...jsonHeaders,
  ETag: `"${tag}"`,
  Vary: 'Accept-Encoding',
});

/** Pulls one chunk at a time, so that a slow reader holds back the store and not memory. */
function streamOfChunks(chunks: JsonChunks, brokeOff: (error: unknown) => void): ReadableStream<Uint8Array> {
  let stalled: Timer;
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(stalled);
      await new Promise(setImmediate); // a fast reader must not keep the loop from other requests
      const chunk = await chunks.next().catch((error) => {
        brokeOff(error);
        throw error;
      });
      if (chunk === undefined) return controller.close();
      controller.enqueue(chunk);
      stalled = setTimeout(() => {
        controller.error(new Error('The reader of a list took nothing for too long'));
        chunks.close().catch(brokeOff);
      }, stalledMs);
    },
    cancel() {
      clearTimeout(stalled);
      return chunks.close();
    },
  });
}
