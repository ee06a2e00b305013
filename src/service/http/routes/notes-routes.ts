import type { Context } from 'hono';
import { freezeAndStringifyOnce } from '../../../core/json/json.ts';
import { formatEntityTag, type Note, parseDraft, parsePatchAndAssertId } from '../../../core/note.ts';
import { parseIdOrThrowNotFound } from '../../../core/request-parameters.ts';
import type { NoteStore } from '../../../core/store.ts';
import { matchesIfNoneMatch, parseIfMatchIfPresent } from '../conditional-headers.ts';
import { type JsonBodyReader, waitOneTurnAndAssertNotAborted } from '../json-body-reader.ts';
import { createSinglePartListBody, type LargeResponses, mayTextNeedLargeResponse } from '../large-responses.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders, jsonResponseInit } from '../response-headers.ts';
import { setWriteRecord } from '../write-record.ts';

/** Adds the routes that create, read and change one note. */
export function addNotesRoutes(on: AddRoute, store: NoteStore, bodies: JsonBodyReader, large: LargeResponses): void {
  const createNoteResponse = (note: Note, headers = jsonResponseInit.headers) => {
    const json = freezeAndStringifyOnce(note);
    return mayTextNeedLargeResponse(json)
      ? large.respond(createSinglePartListBody(json), headers)
      : new Response(json, { headers });
  };

  on('POST', '/api/notes', async (c) => {
    const draft = parseDraft(await bodies.readJsonObject(c.req.raw));
    const note = await store.create(draft);
    setWriteRecord(c, { id: note.id });
    return createNoteResponse(note);
  });

  on('GET', '/api/notes/:id', async (c) => {
    const note = await store.get(parsePathId(c));
    const headers = new Headers({ ...jsonHeaders, ETag: formatEntityTag(note) });
    if (matchesIfNoneMatch(c.req.header('if-none-match'), note.updatedAt))
      return new Response(null, { status: 304, headers });
    return createNoteResponse(note, headers);
  });

  on('PUT', '/api/notes/:id', async (c) => {
    const id = parsePathId(c);
    setWriteRecord(c, { id });
    const patch = parsePatchAndAssertId(await bodies.readJsonObject(c.req.raw), id);
    return createNoteResponse(await store.update(id, patch, parseIfMatchIfPresent(c.req.header('if-match'))));
  });

  const setArchived = async (c: Context, archived: boolean) => {
    const id = parsePathId(c);
    setWriteRecord(c, { id });
    await waitOneTurnAndAssertNotAborted(c.req.raw);
    return createNoteResponse(await store.setArchived(id, archived, parseIfMatchIfPresent(c.req.header('if-match'))));
  };

  on('PATCH', '/api/notes/:id/archive', (c) => setArchived(c, true));

  on('PATCH', '/api/notes/:id/unarchive', (c) => setArchived(c, false));
}

/** Parses the id in the path without decoding: `%31` is not 1. */
export const parsePathId = (c: Context) => parseIdOrThrowNotFound(c.req.path.split('/')[3] ?? '');
