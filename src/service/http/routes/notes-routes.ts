import type { Context } from 'hono';
import { serializeOnce } from '../../../core/json/json.ts';
import { entityTag, type Note, parseDraft, parsePatch } from '../../../core/note.ts';
import { parseId } from '../../../core/request-parameters.ts';
import type { IfMatch, NoteStore } from '../../../core/store.ts';
import { assertBodyComplete, type BodyReader } from '../body-reader.ts';
import { includesEntityTag, parseIfMatch } from '../conditional-headers.ts';
import { createSinglePartBody, type LargeResponses, mayBeLargeResponse } from '../large-responses.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders, jsonResponseInit } from '../response-headers.ts';
import { setWriteRecord } from '../write-record.ts';

/** Adds the routes that create, read and change one note. */
export function addNotesRoutes(on: AddRoute, store: NoteStore, bodies: BodyReader, large: LargeResponses): void {
  const createNoteResponse = (note: Note, headers = jsonResponseInit.headers) => {
    const json = serializeOnce(note);
    return mayBeLargeResponse(json)
      ? large.respond(createSinglePartBody(json), headers)
      : new Response(json, { headers });
  };

  on('POST', '/api/notes', async (c) => {
    const draft = parseDraft(await bodies.readObject(c.req.raw));
    const note = await store.create(draft);
    setWriteRecord(c, { id: note.id });
    return createNoteResponse(note);
  });

  on('GET', '/api/notes/:id', async (c) => {
    const note = await store.get(parsePathId(c));
    const headers = new Headers({ ...jsonHeaders, ETag: entityTag(note) });
    if (includesEntityTag(c.req.header('if-none-match'), note.updatedAt))
      return new Response(null, { status: 304, headers });
    return createNoteResponse(note, headers);
  });

  on('PUT', '/api/notes/:id', async (c) => {
    const id = parsePathId(c);
    setWriteRecord(c, { id });
    const patch = parsePatch(await bodies.readObject(c.req.raw), id);
    return createNoteResponse(await store.update(id, patch, readIfMatch(c)));
  });

  const setArchived = async (c: Context, archived: boolean) => {
    const id = parsePathId(c);
    setWriteRecord(c, { id });
    await assertBodyComplete(c.req.raw);
    return createNoteResponse(await store.setArchived(id, archived, readIfMatch(c)));
  };

  on('PATCH', '/api/notes/:id/archive', (c) => setArchived(c, true));

  on('PATCH', '/api/notes/:id/unarchive', (c) => setArchived(c, false));
}

/** Parses the id in the path without decoding: `%31` is not 1. */
export const parsePathId = (c: Context) => parseId(c.req.path.split('/')[3] ?? '');

function readIfMatch(c: Context): IfMatch | undefined {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  const tags = parseIfMatch(header);
  return tags === '*' ? undefined : tags;
}
