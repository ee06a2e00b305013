import { type ContentCoding, chooseCoding, compressBytes } from '../compression.ts';
import { matchesIfNoneMatch } from '../conditional-headers.ts';
import { createErrorResponse } from '../error-responses.ts';
import * as httpMessage from '../http-messages.ts';
import type { AddRoute } from '../request.ts';
import { pageHeaders } from '../response-headers.ts';

/** The `path` of a file of the page is relative to the page, and empty for the page itself. */
export interface PageFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Loads the files of the page. Called on the first request, and again after a failure. */
export type LoadPage = () => Promise<readonly PageFile[]>;

/** The coding with the smallest result is first. */
const smallestFirst: readonly ContentCoding[] = ['br', 'zstd', 'gzip'];

/** Adds the routes of the page and its files. */
export function addPageRoutes(on: AddRoute, load: LoadPage): void {
  let loading: Promise<Map<string, StaticFile>> | undefined;

  async function loadAndRespondFile(path: string, request: Request): Promise<Response> {
    loading ??= load().then((files) => new Map(files.map((file) => [file.path, new StaticFile(file)])));
    const files = await loading.catch((error) => {
      loading = undefined;
      throw error;
    });
    const file = files.get(path);
    return file
      ? file.respond(request)
      : createErrorResponse(404, httpMessage.formatNoSuchEndpoint(request.method, `/${path}`));
  }

  on('GET', '/', (c) => loadAndRespondFile('', c.req.raw));
  on('GET', '/service-worker.js', (c) => loadAndRespondFile('service-worker.js', c.req.raw));
  on('GET', '/assets/:name', (c) => loadAndRespondFile(c.req.path.slice(1), c.req.raw));
}

/**
 * Serves a file and its compressed variants. Each variant is made on first request, and has an entity tag of its own.
 */
class StaticFile {
  readonly #file: PageFile;
  readonly #tag: string;
  readonly #variants = new Map<ContentCoding, Promise<Blob>>();

  constructor(file: PageFile) {
    this.#file = file;
    this.#tag = Bun.hash(file.bytes).toString(36);
  }

  async respond(request: Request): Promise<Response> {
    const coding = chooseCoding(request.headers.get('accept-encoding'), smallestFirst);
    const tag = coding ? `${this.#tag}.${coding}` : this.#tag;
    const headers = {
      ...pageHeaders,
      'Content-Type': this.#file.type,
      'Cache-Control': this.#file.path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: `"${tag}"`,
      Vary: 'Accept-Encoding',
    };
    if (matchesIfNoneMatch(request.headers.get('if-none-match'), tag))
      return new Response(null, { status: 304, headers });
    if (coding === undefined) return new Response(this.#file.bytes, { headers });
    return new Response(await this.#getOrCompressVariant(coding), {
      headers: { ...headers, 'Content-Encoding': coding },
    });
  }

  #getOrCompressVariant(coding: ContentCoding): Promise<Blob> {
    return this.#variants.getOrInsertComputed(coding, () => {
      const made = compressBytes(coding, this.#file.bytes, 'best').then((bytes) => new Blob([bytes]));
      made.catch(() => this.#variants.delete(coding));
      return made;
    });
  }
}
