import { buildInfo } from '../../../core/build-info.ts';
import * as message from '../../../core/error-messages.ts';
import * as httpMessage from '../http-messages.ts';
import { maxHistoryLimit } from '../routes/history-routes.ts';
import * as part from './openapi-parts.ts';

const listParameters = [...part.filterParameters, part.ifNoneMatchParameter];

/** Describes the responses of a read and of a write; `others` has further ones by status. */
const createReadResponses = (ok: part.Json, others: part.Json = {}) => ({
  200: ok,
  400: part.badHostResponse,
  500: part.readFailureResponse,
  ...part.rejectionsByStatus,
  ...others,
});
const createWriteResponses = (ok: part.Json, bad: part.Json) => ({
  200: ok,
  400: bad,
  500: part.writeFailureResponse,
  ...part.rejectionsByStatus,
});
const createUpdateResponses = (bad: part.Json) => ({
  ...createWriteResponses(part.noteResponse, bad),
  404: part.missingNoteForWriteResponse,
  412: part.noteChangedResponse,
});

const archiveOperation = {
  parameters: [part.ifMatchParameter],
  responses: createUpdateResponses(part.badWriteResponse),
};

const createOperationHead = (operationId: string, summary: string, description?: string) => ({
  operationId,
  summary,
  ...(description !== undefined && { description }),
  tags: ['notes'],
});

/** Operations for operators that need no token have these properties. */
const tokenFreeOperation = { tags: ['service'], security: [] };

export const openApiPaths = {
  '/api/notes': {
    get: {
      ...createOperationHead('listNotes', 'List notes'),
      parameters: listParameters,
      responses: createReadResponses(
        part.createResponsePart('The notes that match, by id', part.noteArray, [part.exampleNote], part.listHeaders),
        {
          304: part.unchangedListResponse,
          400: part.badFilterResponse,
        },
      ),
    },
    head: {
      ...createOperationHead('headNotes', 'The headers of the list of notes'),
      parameters: listParameters,
      responses: {
        200: { description: 'The headers of the list', headers: part.listHeaders },
        304: part.unchangedListResponse,
        400: { description: part.badFilterResponse.description },
        ...part.rejectionsByStatus,
        500: { description: part.readFailureResponse.description, headers: part.retryAfterHeader },
      },
    },
    post: {
      ...createOperationHead('createNote', 'Create a note'),
      requestBody: part.createRequestBodyBySchemaName('NoteDraft', part.exampleDraft),
      responses: createWriteResponses(part.noteResponse, part.badBodyResponse),
    },
  },
  '/api/notes/{id}': {
    parameters: [part.idParameter],
    get: {
      ...createOperationHead('getNote', 'Get a note'),
      parameters: [part.ifNoneMatchParameter],
      responses: createReadResponses(part.taggedNoteResponse, {
        304: part.unchangedResponse,
        404: part.missingNoteResponse,
      }),
    },
    put: {
      ...createOperationHead('updateNote', 'Change fields of a note'),
      parameters: [part.ifMatchParameter],
      requestBody: part.createRequestBodyBySchemaName('NoteUpdate', { id: 1, color: 'warning' }),
      responses: createUpdateResponses(part.badUpdateResponse),
    },
  },
  '/api/notes/{id}/history': {
    parameters: [part.idParameter],
    get: {
      ...createOperationHead(
        'listVersions',
        'The note as it was before each change of its fields',
        'To revert to a version, send its fields as an update.',
      ),
      parameters: [part.createLimitParameter(maxHistoryLimit, 'How many versions to return at most; default: all')],
      responses: createReadResponses(
        part.createResponsePart('The versions, newest first', part.noteArray, [part.exampleNote]),
        {
          400: part.createErrorResponsePart(
            'The limit or the Host header is not allowed',
            message.limitOutOfRange(maxHistoryLimit),
          ),
          404: part.missingNoteResponse,
        },
      ),
    },
  },
  '/api/notes/{id}/archive': {
    parameters: [part.idParameter],
    patch: { ...createOperationHead('archiveNote', 'Archive a note'), ...archiveOperation },
  },
  '/api/notes/{id}/unarchive': {
    parameters: [part.idParameter],
    patch: { ...createOperationHead('unarchiveNote', 'Unarchive a note'), ...archiveOperation },
  },
  '/api/events': {
    get: {
      ...createOperationHead(
        'listenToNotes',
        'Every written note, as server-sent events',
        'The data of an event `note` is the current note; an event `reset` means that the list must be read again, ' +
          'and that of an event `pins` has the ids of the notes that are pinned now.',
      ),
      parameters: [
        part.createHeaderParameter('Last-Event-ID', 'Continue after this event, or after the cursor of a list'),
        part.cursorParameter,
      ],
      responses: {
        200: { description: 'Events, without end', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        400: part.badHostResponse,
        ...part.rejectionsByStatus,
        501: part.createErrorResponsePart('The database keeps no log of changes', httpMessage.noChangeLog),
        503: part.createErrorResponsePart(
          'Too many listeners, or the store does not answer',
          httpMessage.tooManyListeners,
          part.retryAfterHeader,
        ),
      },
    },
  },
  '/api/search': {
    get: {
      ...createOperationHead(
        'searchNotes',
        'Search notes',
        'Finds the notes that contain every word; ' +
          'if there are none, those that contain every word with at most one typing mistake. ' +
          'The best come first, newer ones before equally good older ones.',
      ),
      parameters: part.searchParameters,
      responses: createReadResponses(part.foundNotesResponse, { 400: part.badSearchResponse }),
    },
  },
  '/api/labels': {
    get: {
      ...createOperationHead('getLabels', 'The labels of groups and categories'),
      parameters: [part.ifNoneMatchParameter],
      responses: createReadResponses(part.labelsResponse, { 304: part.unchangedResponse }),
    },
    put: {
      ...createOperationHead(
        'replaceLabels',
        'Label groups and categories',
        'Replaces the labels of all groups: one that is left out, or null, is called by its value. ' +
          'The label of a category stays unless the body names it; null removes it.',
      ),
      requestBody: part.createRequestBodyBySchemaName('LabelsUpdate', {
        first: 'Work',
        second: 'At home',
        css: 'Styles',
      }),
      responses: createWriteResponses(part.labelsResponse, part.badLabelsResponse),
    },
  },
  '/api/pins': {
    get: {
      ...createOperationHead('getPins', 'The pinned notes'),
      parameters: [part.ifNoneMatchParameter],
      responses: createReadResponses(part.pinsResponse, { 304: part.unchangedResponse }),
    },
    put: {
      ...createOperationHead(
        'replacePins',
        'Pin notes',
        'Replaces all pins. An archived note keeps its pin. With If-Match, two clients do not overwrite each other.',
      ),
      parameters: [part.ifMatchParameter],
      requestBody: part.createRequestBodyBySchemaName('Pins', { ids: [7, 1] }),
      responses: {
        ...createWriteResponses(part.pinsResponse, part.badPinsResponse),
        412: part.pinsChangedResponse,
      },
    },
  },
  '/merge': {
    post: {
      ...createOperationHead(
        'mergeNotes',
        'Merge notes from elsewhere, with their ids and times',
        'All of them or none. Of two notes with the same id, the one with the later updatedAt stays.',
      ),
      requestBody: part.createRequestBodyBySchemaName('NotesToMerge', { notes: [part.exampleNote], dryRun: false }),
      responses: createWriteResponses(
        part.createResponsePart('What happened to each note, in order', part.createSchemaRef('Merged'), {
          results: [{ outcome: 'added', id: 1 }],
        }),
        part.badMergeResponse,
      ),
    },
  },
  '/healthz': {
    get: {
      ...createOperationHead('isAlive', 'Is the process alive?'),
      ...tokenFreeOperation,
      responses: {
        200: part.createResponsePart('It is', part.aliveSchema, { status: 'alive', ...buildInfo }),
        400: part.badHostResponse,
        403: part.rejectionsByStatus[403],
      },
    },
  },
  '/readyz': {
    get: {
      ...createOperationHead('isReady', 'Is the service ready for requests?'),
      ...tokenFreeOperation,
      responses: {
        200: part.readyResponse,
        400: part.badHostResponse,
        403: part.rejectionsByStatus[403],
        503: part.notReadyResponse,
      },
    },
  },
  '/metrics': {
    get: {
      ...createOperationHead('getMetrics', 'Metrics for Prometheus'),
      tags: ['service'],
      responses: {
        200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: { type: 'string' } } } },
        400: part.badHostResponse,
        ...part.rejectionsByStatus,
      },
    },
  },
};
