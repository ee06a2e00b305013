import * as z from 'zod/mini';
import packageJson from '../../../package.json' with { type: 'json' };
import { outcomeHeader, writeOutcomes } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { categories, groups, Note, NoteDraft, NotePatch, PortableNote } from '../../domain/note.ts';
import { archivedValues } from '../../domain/parse.ts';
import { foundHeader, mergeOutcomes, searchLimits } from '../../domain/store.ts';
import { cursorHeader } from '../headers.ts';
import { maxVersions } from './history.ts';
import { maxToMerge } from './merge.ts';

type Json = Readonly<Record<string, unknown>>;

const example: Note = {
  id: 1,
  title: 'Undo the last commit, keep the changes',
  content: 'git reset --soft HEAD~1',
  category: 'bash-commands',
  group: 'first',
  color: 'info',
  archived: false,
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
};
const { title, content, category, group, color } = example;
const draftExample = { title, content, category, group, color };

const descriptions = {
  id: 'Set by the service; never used again',
  title: 'Kept exactly as sent',
  content: 'The body of the note, kept exactly as sent',
  category: 'What kind of text it is',
  group: 'One of five groups of your own',
  color: 'The name of a colour, for display',
  archived: 'Changed only by archive and unarchive',
  createdAt: 'When the note was created; ISO 8601, UTC, milliseconds',
  updatedAt: 'Rises with every write to the note; in double quotes it is the entity tag',
} as const satisfies Record<keyof Note, string>;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json, shown: unknown) => ({ 'application/json': { schema, example: shown } });
const answer = (description: string, schema: Json, shown: unknown, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: json(schema, shown),
});
const failure = (description: string, text: string, headers?: Json) =>
  answer(description, ref('Error'), { error: text }, headers);
const header = (description: string, type = 'string') => ({ description, schema: { type } });

const note = answer('The note as it is now', ref('Note'), example);
const taggedNote = { ...note, headers: { ETag: header('The entity tag of the note') } };
const cursor = { [cursorHeader]: header('Where events go on after this list') };
const tagged = { ETag: header('Names the state of the answer'), Vary: header('Accept-Encoding'), ...cursor };
const unchanged = {
  description: 'It is still as the If-None-Match header says',
  headers: { ETag: header('As before'), ...cursor },
};

const again = {
  'Retry-After': header('Where sending it again helps and does no harm: after so many seconds', 'integer'),
};
const outcome = {
  [outcomeHeader]: {
    description: 'Whether the write happened: none, certainly not; unknown, it may have',
    required: true,
    schema: { type: 'string', enum: writeOutcomes },
  },
};
/** The answers to a write that was refused. */
const refusal = (description: string, text: string) => failure(description, text, outcome);

const badHost = failure('The Host header is not allowed', message.hostNotAllowed);
const badFilter = failure('A filter or the Host header is not allowed', message.notOneOf('group', groups));
const badWrite = refusal('The Host header is not allowed', message.hostNotAllowed);
const badBody = refusal('The body breaks a rule', message.missingFields(['title', 'color']));
const badUpdate = refusal('The body breaks a rule', message.idMismatch);
const badMerge = refusal('A note breaks a rule; none is taken', message.wrongNote(3, message.missingFields(['title'])));
const noNote = failure('No such note', message.noSuchNote(7));
const noNoteToChange = refusal('No such note', message.noSuchNote(7));
const changed = refusal('The note has moved on since the If-Match header was read', message.noteChanged(1));
const unread = failure('Unexpected', message.storeNotRead, again);
const broken = failure('Unexpected; a header tells whether the change may be stored', message.storeFailed, {
  ...outcome,
  ...again,
});
const notReady = failure('The store does not answer', message.storeNotRead);

const query = (name: string, values: readonly string[], description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', enum: values },
});
const requestHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the note',
  schema: { type: 'integer', minimum: 1 },
};
const cursorParameter = {
  name: 'cursor',
  in: 'query',
  description: 'As the header Last-Event-ID, which goes before it',
  schema: { type: 'string' },
};
const ifNoneMatch = requestHeader('If-None-Match', 'Entity tags that are known: answers 304 when one is current');
const ifMatch = requestHeader(
  'If-Match',
  'Entity tags of which one must be current, else nothing is written and 412 answered',
);
const filters = [
  query('category', categories, 'Only notes of this category'),
  query('group', groups, 'Only notes of this group'),
  query('archived', archivedValues, 'Only archived notes, or only active ones'),
];

const searching = [
  {
    ...{ name: 'q', in: 'query', description: 'Words in the title or the content; without any, all notes are found' },
    schema: { type: 'string', maxLength: searchLimits.query },
  },
  {
    ...{ name: 'limit', in: 'query', description: 'How many notes to answer at most; fewer where they are very long' },
    schema: { type: 'integer', minimum: 1, maximum: searchLimits.notes, default: searchLimits.defaultNotes },
  },
  ...filters,
];
const found = answer('The best notes', { type: 'array', items: ref('Note') }, [example], {
  [foundHeader]: { ...header('How many notes match in all', 'integer'), required: true },
});
const badSearch = failure('A parameter or the Host header is not allowed', message.invalidLimit(searchLimits.notes));

const limit = (maximum: number, description: string) => ({
  name: 'limit',
  in: 'query',
  description,
  schema: { type: 'integer', minimum: 1, maximum },
});

const body = (schema: string, shown: unknown) => ({ required: true, content: json(ref(schema), shown) });
const oneStatus = (value: string) => ({
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: value } },
});

const listing = { tags: ['notes'], parameters: [...filters, ifNoneMatch] };
const archiving = {
  tags: ['notes'],
  parameters: [ifMatch],
  responses: { 200: note, 400: badWrite, 404: noNoteToChange, 412: changed, 500: broken },
};

const paths = {
  '/api/notes': {
    get: {
      operationId: 'listNotes',
      summary: 'List notes',
      ...listing,
      responses: {
        200: answer('The notes that match, by id', { type: 'array', items: ref('Note') }, [example], tagged),
        304: unchanged,
        400: badFilter,
        500: unread,
      },
    },
    head: {
      operationId: 'headNotes',
      summary: 'The headers of the list of notes',
      ...listing,
      responses: {
        200: { description: 'The headers of the list', headers: tagged },
        304: unchanged,
        400: { description: badFilter.description },
        500: { description: unread.description, headers: again },
      },
    },
    post: {
      operationId: 'createNote',
      summary: 'Create a note',
      tags: ['notes'],
      requestBody: body('NoteDraft', draftExample),
      responses: { 200: note, 400: badBody, 500: broken },
    },
  },
  '/api/notes/{id}': {
    parameters: [idParameter],
    get: {
      operationId: 'getNote',
      summary: 'Get a note',
      tags: ['notes'],
      parameters: [ifNoneMatch],
      responses: { 200: taggedNote, 304: unchanged, 400: badHost, 404: noNote, 500: unread },
    },
    put: {
      operationId: 'updateNote',
      summary: 'Change fields of a note',
      tags: ['notes'],
      parameters: [ifMatch],
      requestBody: body('NoteUpdate', { id: 1, color: 'warning' }),
      responses: { 200: note, 400: badUpdate, 404: noNoteToChange, 412: changed, 500: broken },
    },
  },
  '/api/notes/{id}/history': {
    parameters: [idParameter],
    get: {
      operationId: 'listVersions',
      summary: 'The note as it was before each change of its text',
      description: 'To bring a version back, send its fields as an update.',
      tags: ['notes'],
      parameters: [limit(maxVersions, 'How many versions at most; all of them unless given')],
      responses: {
        200: answer('The versions, newest first', { type: 'array', items: ref('Note') }, [example]),
        400: failure('The limit or the Host header is not allowed', message.invalidLimit(maxVersions)),
        404: noNote,
        500: unread,
      },
    },
  },
  '/api/notes/{id}/archive': {
    parameters: [idParameter],
    patch: { operationId: 'archiveNote', summary: 'Archive a note', ...archiving },
  },
  '/api/notes/{id}/unarchive': {
    parameters: [idParameter],
    patch: { operationId: 'unarchiveNote', summary: 'Unarchive a note', ...archiving },
  },
  '/api/events': {
    get: {
      operationId: 'listenToNotes',
      summary: 'Each note that is written, as server-sent events',
      description:
        'An event `note` has a note as it is now as its data, an event `reset` says to read the list anew. Answers 501 where the database keeps no log of changes.',
      tags: ['notes'],
      parameters: [
        requestHeader('Last-Event-ID', 'Goes on after this event, or after the cursor of a list'),
        cursorParameter,
      ],
      responses: {
        200: {
          description: 'Events, without an end',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        400: badHost,
        503: failure('Too many listeners, or the store does not answer', message.tooManyListeners, again),
      },
    },
  },
  '/api/search': {
    get: {
      operationId: 'searchNotes',
      summary: 'Search notes',
      description:
        'The notes that hold every word, or if none does with one typing mistake each: the best first, of equally good ones the newest.',
      tags: ['notes'],
      parameters: searching,
      responses: { 200: found, 400: badSearch, 500: unread },
    },
  },
  '/merge': {
    post: {
      operationId: 'mergeNotes',
      summary: 'Take notes from elsewhere, with their ids and times',
      description: 'All of them or none. Of two notes with one id the one with the later updatedAt stays.',
      tags: ['notes'],
      requestBody: body('NotesToMerge', { notes: [example], dryRun: false }),
      responses: {
        200: answer('What became of each note, in order', ref('Merged'), { outcomes: ['added'] }),
        400: badMerge,
        500: broken,
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'isAlive',
      summary: 'Is the process alive?',
      tags: ['service'],
      responses: { 200: answer('It is', oneStatus('alive'), { status: 'alive' }), 400: badHost },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      summary: 'Can the service serve?',
      tags: ['service'],
      responses: { 200: answer('It can', oneStatus('ready'), { status: 'ready' }), 400: badHost, 503: notReady },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'Figures for Prometheus',
      tags: ['service'],
      responses: {
        200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: { type: 'string' } } } },
        400: badHost,
      },
    },
  },
};

/** The OpenAPI 3.1 document of the service, made from the same schemas that check its input. */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Notes',
      version: packageJson.version,
      description: packageJson.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that shows this document' }],
    security: [],
    tags: [
      { name: 'notes', description: 'Keep notes and get them back' },
      { name: 'service', description: 'For those who run the service' },
    ],
    paths,
    components: { schemas: schemas() },
  };
}

function schemas(): Json {
  const update = described(NotePatch);
  return {
    Note: described(Note),
    NoteDraft: described(NoteDraft),
    NoteUpdate: {
      ...update,
      properties: { id: { ...idParameter.schema, description: 'The same id as in the path' }, ...update.properties },
      required: ['id'],
    },
    PortableNote: described(PortableNote),
    NotesToMerge: {
      type: 'object',
      required: ['notes'],
      properties: {
        notes: { type: 'array', maxItems: maxToMerge, items: ref('PortableNote') },
        dryRun: {
          type: 'boolean',
          default: false,
          description: 'Tells what would become of the notes, and changes nothing',
        },
      },
    },
    Merged: {
      type: 'object',
      required: ['outcomes'],
      properties: { outcomes: { type: 'array', items: { type: 'string', enum: mergeOutcomes } } },
      additionalProperties: false,
    },
    Error: {
      type: 'object',
      required: ['error'],
      properties: { error: { type: 'string', description: 'What went wrong, for people' } },
      additionalProperties: false,
    },
  };
}

/** The JSON Schema of an object, each property with its description. Input may hold more: what is unknown is ignored. */
function described(schema: z.ZodMiniObject) {
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...(property as Json), description: (descriptions as Record<string, string>)[name] },
  ]);
  return { ...rest, properties: Object.fromEntries(described) as Json };
}
