import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { NoteError, outcomeHeader } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import { entityTag, jsonOf, type Note } from '../domain/note.ts';
import { parseDraft, parseFilter, parseId, parsePatch } from '../domain/parse.ts';
import type { IfMatch, NoteEngine } from '../domain/store.ts';
import { BodyReader } from './body.ts';
import { addDocs } from './docs.ts';
import { createEdge, type Handler } from './edge.ts';
import { entityTags, jsonAnswer, jsonHeaders } from './headers.ts';
import { addHealth } from './health.ts';
import { createHostCheck, type HostRules } from './host.ts';
import { isLarge, LargeAnswers } from './large-answers.ts';
import { createListAnswers, knownRevisions } from './list.ts';
import type { Log } from './log.ts';
import { type AnswerMcp, addMcp } from './mcp.ts';
import { addMerge } from './merge.ts';
import type { Metrics } from './metrics.ts';
import { addPage, type LoadPage } from './page.ts';

export interface AppSettings extends HostRules {
  readonly maxBodyBytes: number;
  /** Origins of foreign web pages that may use the service; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
}

export interface AppDeps {
  readonly store: NoteEngine;
  readonly settings: AppSettings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly loadPage: LoadPage;
  /** Requests whose answers are not sent to the end, as the server counts them. */
  readonly pendingRequests: () => number;
  /** The name of this service, one for each start, as `/healthz` tells it. */
  readonly instance?: string | undefined;
  /** Left out, there is no `/mcp`. */
  readonly answerMcp?: AnswerMcp | undefined;
}

/** Adds a route. */
export type On = (method: string, path: string, handler: Handler) => void;

/** The HTTP interface to a store. */
export function createApp(deps: AppDeps): Hono {
  const { store, settings, log, metrics, loadPage, pendingRequests, answerMcp, instance } = deps;
  const app = new Hono({ getPath: (request) => splitUrl(request.url).path });
  const filterOf = remembering((query) => parseFilter(new URLSearchParams(query)));
  const brokeOff = (err: unknown) => log.error({ err }, 'A list broke off');
  const large = new LargeAnswers({ pendingRequests, brokeOff });
  const answerList = createListAnswers(large);
  const answerNote = (note: Note, headers = jsonAnswer.headers) => {
    const json = jsonOf(note);
    return isLarge(json) ? large.answer(new Blob([json]), headers) : new Response(json, { headers });
  };
  const bodies = new BodyReader(settings.maxBodyBytes);
  const edge = createEdge({ settings, log, metrics });

  if (settings.corsOrigins.length > 0) {
    const isHostAllowed = createHostCheck(settings);
    const grantAt = (path: string, allowHeaders: string[]) => {
      const grant = corsFor(settings.corsOrigins, allowHeaders);
      app.use(path, (c, next) => (isHostAllowed(c.req.raw.headers.get('host')) ? grant(c, next) : next()));
    };
    grantAt('/api/*', ['Content-Type', 'If-Match', 'If-None-Match']);
    if (answerMcp) grantAt('/mcp', []); // its headers, which the protocol adds to, are those that are asked for
  }
  const refuse: Handler = (c) => {
    throw new NoteError('not_found', message.noSuchEndpoint(c.req.method, c.req.path));
  };
  app.notFound(edge('other other', refuse));
  const on = (method: string, path: string, handler: Handler) => {
    app.on(method, path, edge(`${method} ${path}`, handler));
  };

  on('GET', '/api/notes', (c) => {
    const request = c.req.raw;
    const list = store.listJson(filterOf(splitUrl(request.url).query), knownRevisions(request));
    return list instanceof Promise ? list.then((later) => answerList(later, request)) : answerList(list, request);
  });

  on('POST', '/api/notes', async (c) => {
    const draft = parseDraft(await bodies.read(c.req.raw));
    return answerNote(await store.create(draft));
  });

  on('GET', '/api/notes/:id', async (c) => {
    const note = await store.get(idOf(c));
    const headers = new Headers({ ...jsonHeaders, ETag: entityTag(note) });
    const known = entityTags(c.req.header('if-none-match') ?? '');
    if (known === '*' || known.includes(note.updatedAt)) return new Response(null, { status: 304, headers });
    return answerNote(note, headers);
  });

  on('PUT', '/api/notes/:id', async (c) => {
    const id = idOf(c);
    const patch = parsePatch(await bodies.read(c.req.raw), id);
    return answerNote(await store.update(id, patch, ifMatchOf(c)));
  });

  on('PATCH', '/api/notes/:id/archive', async (c) => answerNote(await store.setArchived(idOf(c), true, ifMatchOf(c))));

  on('PATCH', '/api/notes/:id/unarchive', async (c) =>
    answerNote(await store.setArchived(idOf(c), false, ifMatchOf(c))),
  );

  addMerge(on, store, bodies);
  addHealth(on, { store, metrics, instance });
  addDocs(on);
  addPage(on, loadPage);
  if (answerMcp) addMcp(on, { answer: answerMcp, bodies, corsOrigins: settings.corsOrigins });
  return app;
}

/** Clients ask for the same few lists again and again. Forgets all when it knows too many. */
function remembering<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    if (known.size >= 1000) known.clear();
    known.set(key, value);
    return value;
  };
}

/** The id in the path, exactly as it was sent: `%31` is not 1. */
const idOf = (c: Context) => parseId(c.req.path.split('/')[3] ?? '');

function ifMatchOf(c: Context): IfMatch | undefined {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  const strong = entityTags(header.replaceAll(/W\/"[^"]*"/g, ''));
  return strong === '*' ? undefined : strong;
}

/** Path and query, not decoded; the runtime has resolved dots and backslashes in the path. A URL without a usable `Host` has no origin. */
function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith('http') ? Math.max(url.indexOf('/', 'https://'.length), 0) : 0;
  const question = url.indexOf('?', start);
  if (question < 0) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, question), query: url.slice(question + 1) };
}

function corsFor(origins: readonly string[], allowHeaders: string[]) {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH'],
    allowHeaders,
    exposeHeaders: ['ETag', outcomeHeader, 'Retry-After'],
    maxAge: 600,
  });
}
