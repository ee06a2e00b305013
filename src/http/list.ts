import type { JsonChunks, JsonList } from '../domain/store.ts';
import { type Coding, codingFor, codings } from './encoding.ts';
import { entityTags, jsonHeaders } from './headers.ts';

/** A list of fewer characters goes out as it is: coding it would cost more than it saves. */
const worthCoding = 16 * 1024;

/** A reader that takes nothing for this long, in ms, is given up. */
const stalledMs = 300_000;

/** The revisions in an `If-None-Match` header, whichever coding they were sent in. */
export function knownRevisions(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const tags = entityTags(header);
  const suffix = new RegExp(`\\.(${codings.join('|')})$`);
  return tags === '*' ? [] : tags.map((tag) => tag.replace(suffix, ''));
}

/** The answer to a request for a list. A list that breaks off in the middle breaks the connection, never ends well. */
export function answerList(list: JsonList, request: Request): Response {
  if (list.kind === 'unchanged') return new Response(null, { status: 304, headers: listHeaders(list.revision) });
  const isLarge = list.kind === 'chunks' || list.json.length >= worthCoding;
  const coding = isLarge ? codingFor(request.headers.get('accept-encoding') ?? undefined) : undefined;
  const headers = listHeaders(list.revision, coding);
  if (request.method === 'HEAD') {
    if (list.kind === 'chunks') void list.chunks.close();
    else if (!coding) headers['Content-Length'] = String(Buffer.byteLength(list.json));
    return new Response(null, { headers });
  }
  if (list.kind === 'whole' && !coding) return new Response(list.json, { headers });
  const plain: ReadableStream<Bun.BufferSource> =
    list.kind === 'whole' ? new Blob([list.json]).stream() : streamOf(list.chunks);
  return new Response(coding ? plain.pipeThrough(new CompressionStream(coding, { level: 3 })) : plain, { headers });
}

function listHeaders(revision: string, coding?: Coding): Record<string, string> {
  const tag = coding ? `"${revision}.${coding}"` : `"${revision}"`;
  const headers: Record<string, string> = { ...jsonHeaders, ETag: tag, Vary: 'Accept-Encoding' };
  if (coding) headers['Content-Encoding'] = coding;
  return headers;
}

/** Pulls one chunk at a time, so that a slow reader holds back the store and not memory. */
function streamOf(chunks: JsonChunks): ReadableStream<Uint8Array> {
  let stalled: Timer;
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(stalled);
      const chunk = await chunks.next();
      if (chunk === undefined) return controller.close();
      controller.enqueue(chunk);
      stalled = setTimeout(() => {
        controller.error(new Error('The reader of a list took nothing for too long'));
        void chunks.close();
      }, stalledMs);
    },
    cancel() {
      clearTimeout(stalled);
      return chunks.close();
    },
  });
}
