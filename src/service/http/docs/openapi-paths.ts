import * as message from '../../../core/message.ts';
import { buildInfo } from '../../../core/tools/build-info.ts';
import * as httpMessage from '../http-messages.ts';
import { maxVersions } from '../routes/history-routes.ts';
import * as part from './openapi-parts.ts';

const listed = [...part.filterParameters, part.ifNoneMatch];

/** The responses of a read and of a write; `others` by status. */
const read = (ok: part.Json, others: part.Json = {}) => ({
  ...{ 200: ok, 400: part.badHost, 500: part.unread },
  ...part.rejectionsByStatus,
  ...others,
});
const written = (ok: part.Json, bad: part.Json) => ({
  ...{ 200: ok, 400: bad, 500: part.broken },
  ...part.rejectionsByStatus,
});
const changed = (bad: part.Json) => ({ ...written(part.note, bad), 404: part.noNoteToChange, 412: part.changed });

const archiving = { parameters: [part.ifMatch], responses: changed(part.badWrite) };

const operation = (operationId: string, summary: string, description?: string) => ({
  operationId,
  summary,
  ...(description !== undefined && { description }),
  tags: ['notes'],
});

/** Of operations for operators that need no token. */
const ofEverybody = { tags: ['service'], security: [] };

export const paths = {
  '/api/notes': {
    get: {
      ...operation('listNotes', 'List notes'),
      parameters: listed,
      responses: read(part.responseOf('The notes that match, by id', part.noteArray, [part.example], part.tagged), {
        304: part.unchangedList,
        400: part.badFilter,
      }),
    },
    head: {
      ...operation('headNotes', 'The headers of the list of notes'),
      parameters: listed,
      responses: {
        200: { description: 'The headers of the list', headers: part.tagged },
        304: part.unchangedList,
        400: { description: part.badFilter.description },
        ...part.rejectionsByStatus,
        500: { description: part.unread.description, headers: part.again },
      },
    },
    post: {
      ...operation('createNote', 'Create a note'),
      requestBody: part.body('NoteDraft', part.draftExample),
      responses: written(part.note, part.badBody),
    },
  },
  '/api/notes/{id}': {
    parameters: [part.idParameter],
    get: {
      ...operation('getNote', 'Get a note'),
      parameters: [part.ifNoneMatch],
      responses: read(part.taggedNote, { 304: part.unchanged, 404: part.noNote }),
    },
    put: {
      ...operation('updateNote', 'Change fields of a note'),
      parameters: [part.ifMatch],
      requestBody: part.body('NoteUpdate', { id: 1, color: 'warning' }),
      responses: changed(part.badUpdate),
    },
  },
  '/api/notes/{id}/history': {
    parameters: [part.idParameter],
    get: {
      ...operation(
        'listVersions',
        'The note as it was before each change of its fields',
        'To revert to a version, send its fields as an update.',
      ),
      parameters: [part.limit(maxVersions, 'How many versions to return at most; default: all')],
      responses: read(part.responseOf('The versions, newest first', part.noteArray, [part.example]), {
        400: part.failure('The limit or the Host header is not allowed', message.invalidLimit(maxVersions)),
        404: part.noNote,
      }),
    },
  },
  '/api/notes/{id}/archive': {
    parameters: [part.idParameter],
    patch: { ...operation('archiveNote', 'Archive a note'), ...archiving },
  },
  '/api/notes/{id}/unarchive': {
    parameters: [part.idParameter],
    patch: { ...operation('unarchiveNote', 'Unarchive a note'), ...archiving },
  },
  '/api/events': {
    get: {
      ...operation(
        'listenToNotes',
        'Every written note, as server-sent events',
        'The data of an event `note` is the current note; an event `reset` means that the list must be read again.',
      ),
      parameters: [
        part.requestHeader('Last-Event-ID', 'Continue after this event, or after the cursor of a list'),
        part.cursorParameter,
      ],
      responses: {
        200: { description: 'Events, without end', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        400: part.badHost,
        ...part.rejectionsByStatus,
        501: part.failure('The database keeps no log of changes', httpMessage.noChangeLog),
        503: part.failure('Too many listeners, or the store does not answer', httpMessage.tooManyListeners, part.again),
      },
    },
  },
  '/api/search': {
    get: {
      ...operation(
        'searchNotes',
        'Search notes',
        'Finds the notes that contain every word; ' +
          'if there are none, those that contain every word with at most one typing mistake. ' +
          'The best come first, newer ones before equally good older ones.',
      ),
      parameters: part.searching,
      responses: read(part.found, { 400: part.badSearch }),
    },
  },
  '/api/labels': {
    get: {
      ...operation('getLabels', 'The labels of the groups'),
      parameters: [part.ifNoneMatch],
      responses: read(part.labelsAnswer, { 304: part.unchanged }),
    },
    put: {
      ...operation(
        'replaceLabels',
        'Label the groups',
        'Replaces all labels: a group that is left out, or null, is called by its value.',
      ),
      requestBody: part.body('LabelsUpdate', { first: 'Work', second: 'At home' }),
      responses: written(part.labelsAnswer, part.badLabels),
    },
  },
  '/merge': {
    post: {
      ...operation(
        'mergeNotes',
        'Merge notes from elsewhere, with their ids and times',
        'All of them or none. Of two notes with the same id, the one with the later updatedAt stays.',
      ),
      requestBody: part.body('NotesToMerge', { notes: [part.example], dryRun: false }),
      responses: written(
        part.responseOf('What happened to each note, in order', part.ref('Merged'), {
          results: [{ outcome: 'added', id: 1 }],
        }),
        part.badMerge,
      ),
    },
  },
  '/healthz': {
    get: {
      ...operation('isAlive', 'Is the process alive?'),
      ...ofEverybody,
      responses: {
        200: part.responseOf('It is', part.alive, { status: 'alive', ...buildInfo }),
        400: part.badHost,
        403: part.rejectionsByStatus[403],
      },
    },
  },
  '/readyz': {
    get: {
      ...operation('isReady', 'Is the service ready for requests?'),
      ...ofEverybody,
      responses: {
        200: part.ready,
        400: part.badHost,
        403: part.rejectionsByStatus[403],
        503: part.notReady,
      },
    },
  },
  '/metrics': {
    get: {
      ...operation('getMetrics', 'Metrics for Prometheus'),
      tags: ['service'],
      responses: {
        200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: { type: 'string' } } } },
        400: part.badHost,
        ...part.rejectionsByStatus,
      },
    },
  },
};
