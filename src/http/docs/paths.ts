import * as message from '../../domain/message.ts';
import { maxVersions } from '../routes/history.ts';
import {
  again,
  answer,
  badBody,
  badFilter,
  badHost,
  badLabels,
  badMerge,
  badSearch,
  badUpdate,
  badWrite,
  body,
  broken,
  changed,
  cursorParameter,
  draftExample,
  example,
  failure,
  filters,
  found,
  idParameter,
  ifMatch,
  ifNoneMatch,
  labels,
  limit,
  noNote,
  noNoteToChange,
  note,
  notReady,
  oneStatus,
  ref,
  requestHeader,
  searching,
  tagged,
  taggedNote,
  unchanged,
  unchangedLabels,
  unread,
} from './parts.ts';

const listing = { tags: ['notes'], parameters: [...filters, ifNoneMatch] };
const archiving = {
  tags: ['notes'],
  parameters: [ifMatch],
  responses: { 200: note, 400: badWrite, 404: noNoteToChange, 412: changed, 500: broken },
};

/** The operations of the OpenAPI document. */
export const paths = {
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
  '/api/labels': {
    get: {
      operationId: 'getLabels',
      summary: 'What the groups are called',
      tags: ['notes'],
      parameters: [ifNoneMatch],
      responses: { 200: labels, 304: unchangedLabels, 400: badHost, 500: unread },
    },
    put: {
      operationId: 'replaceLabels',
      summary: 'Name the groups',
      description: 'Replaces all labels: a group that is left out, or null, is called by its value alone.',
      tags: ['notes'],
      requestBody: body('LabelsUpdate', { first: 'Work', second: 'At home' }),
      responses: { 200: labels, 400: badLabels, 500: broken },
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
