import type { Context } from 'hono';
import { entityTag, type Note, parseDraft, parsePatch } from '../../../core/note.ts';
import { parseId } from '../../../core/parse.ts';
import type { IfMatch, NoteStore } from '../../../core/store.ts';
import { jsonOf } from '../../../core/tools/json.ts';
import { type BodyReader, refuseBroken } from '../body-reader.ts';
import { inOnePart, isLarge, type LargeAnswers } from '../large-answers.ts';
import type { AddRoute } from '../request.ts';
import { isKnownTag, jsonAnswer, jsonHeaders, parseIfMatch } from '../response-headers.ts';
import { setWritten } from '../write-record.ts';

/** Adds creating, reading and changing one note. */
export function addNotesRoutes(on: AddRoute, store: NoteStore, bodies: BodyReader, large: LargeAnswers): void {
  const answerNote = (note: Note, headers = jsonAnswer.headers) => {
    const json = jsonOf(note);
    return isLarge(json) ? large.answer(inOnePart(json), headers) : new Response(json, { headers });
  };

  on('POST', '/api/notes', async (c) => {
    const draft = parseDraft(await bodies.read(c.req.raw));
    const note = await store.create(draft);
    setWritten(c, { id: note.id });
    return answerNote(note);
  });

  on('GET', '/api/notes/:id', async (c) => {
    const note = await store.get(idOf(c));
    const headers = new Headers({ ...jsonHeaders, ETag: entityTag(note) });
    if (isKnownTag(c.req.header('if-none-match'), note.updatedAt)) return new Response(null, { status: 304, headers });
    return answerNote(note, headers);
  });

  on('PUT', '/api/notes/:id', async (c) => {
    const id = idOf(c);
    setWritten(c, { id });
    const patch = parsePatch(await bodies.read(c.req.raw), id);
    return answerNote(await store.update(id, patch, ifMatchOf(c)));
  });

  const setArchived = async (c: Context, archived: boolean) => {
    const id = idOf(c);
    setWritten(c, { id });
    await refuseBroken(c.req.raw);
    return answerNote(await store.setArchived(id, archived, ifMatchOf(c)));
  };

  on('PATCH', '/api/notes/:id/archive', (c) => setArchived(c, true));

  on('PATCH', '/api/notes/:id/unarchive', (c) => setArchived(c, false));
}

/** Parses the id in the path without decoding: `%31` is not 1. */
export const idOf = (c: Context) => parseId(c.req.path.split('/')[3] ?? '');

function ifMatchOf(c: Context): IfMatch | undefined {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  const tags = parseIfMatch(header);
  return tags === '*' ? undefined : tags;
}
