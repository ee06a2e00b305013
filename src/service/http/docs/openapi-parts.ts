/** Several operations of the OpenAPI document share these examples, responses and parameters. */
import { writeOutcomes } from '../../../core/error.ts';
import * as message from '../../../core/error-messages.ts';
import { categories, groups, type Note, type Origin, type PortableNote } from '../../../core/note.ts';
import { formatPinnedNoteNotFound, pinsChanged } from '../../../core/pins.ts';
import { cursorHeader, databaseHeader, foundHeader, outcomeHeader } from '../../../core/protocol.ts';
import { searchLimits } from '../../../core/store.ts';
import { maxLabelLength, noLabels } from '../../../core/value-labels.ts';
import { pickDraftFields } from '../../../core/versions.ts';
import * as httpMessage from '../http-messages.ts';

export type Json = Readonly<Record<string, unknown>>;

export const fieldDescriptions = {
  id: 'Set by the service; never reused',
  title: 'Kept exactly as sent',
  content: 'Kept exactly as sent',
  category: 'What kind of text it is',
  group: 'One of five groups of your own',
  color: 'The name of a colour, for display',
  archived: 'Changed only by archive and unarchive',
  createdAt: 'When the note was created; ISO 8601, UTC, milliseconds',
  updatedAt: 'Increases with every write to the note; in double quotes, its entity tag',
  origin: 'Where the note comes from',
  key: 'Identifies the source: its program, and its name there',
  taken: 'The fields as last imported from the source: a hash of each; and its time, if it has one',
} as const satisfies Record<keyof PortableNote | keyof Origin, string>;

export const exampleNote: Note = {
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
export const exampleDraft = pickDraftFields(exampleNote);

export const createSchemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const createJsonContent = (schema: Json, example: unknown) => ({ 'application/json': { schema, example } });
export const createResponsePart = (description: string, schema: Json, example: unknown, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: createJsonContent(schema, example),
});
export const createErrorResponsePart = (description: string, exampleText: string, headers?: Json) =>
  createResponsePart(description, createSchemaRef('Error'), { error: exampleText }, headers);
const createHeaderPart = (description: string, type = 'string') => ({ description, schema: { type } });

export const noteArray = { type: 'array', items: createSchemaRef('Note') };
export const noteResponse = createResponsePart('The note as it is now', createSchemaRef('Note'), exampleNote);
export const taggedNoteResponse = {
  ...noteResponse,
  headers: { ETag: createHeaderPart('The entity tag of the note') },
};
export const labelsResponse = createResponsePart(
  'The labels of groups and categories',
  createSchemaRef('Labels'),
  { ...noLabels, first: 'Work', second: 'At home', css: 'Styles' },
  { ETag: createHeaderPart('The entity tag of all labels') },
);
export const pinsResponse = createResponsePart(
  'The pinned notes',
  createSchemaRef('Pins'),
  { ids: [7, 1] },
  { ETag: createHeaderPart('The entity tag of the pins') },
);
const cursorHeaders = { [cursorHeader]: createHeaderPart('The cursor to continue with: events after this list') };
export const listHeaders = {
  ETag: createHeaderPart('The entity tag of the response'),
  Vary: createHeaderPart('Accept-Encoding'),
  ...cursorHeaders,
};
export const unchangedResponse = {
  description: 'It still has an entity tag of the If-None-Match header',
  headers: { ETag: createHeaderPart('The same entity tag') },
};
export const unchangedListResponse = { ...unchangedResponse, headers: listHeaders };

export const retryAfterHeader = {
  'Retry-After': createHeaderPart('Present if a retry is safe and may succeed: after this many seconds', 'integer'),
};
const outcomeHeaders = {
  [outcomeHeader]: {
    description: 'Whether the write happened: none, it did not; unknown, it may have',
    required: true,
    schema: { type: 'string', enum: writeOutcomes },
  },
};
/** Describes the response to a write that failed, with the header that says whether it took effect. */
const createWriteErrorResponsePart = (description: string, exampleText: string) =>
  createErrorResponsePart(description, exampleText, outcomeHeaders);

export const badHostResponse = createErrorResponsePart('The Host header is not allowed', httpMessage.hostNotAllowed);
export const badFilterResponse = createErrorResponsePart(
  'A filter or the Host header is not allowed',
  message.notOneOf('group', groups),
);
export const badWriteResponse = createWriteErrorResponsePart(
  'The Host header is not allowed',
  httpMessage.hostNotAllowed,
);
export const badBodyResponse = createWriteErrorResponsePart(
  'The body breaks a rule',
  message.missingFields(['title', 'color']),
);
export const badUpdateResponse = createWriteErrorResponsePart('The body breaks a rule', message.idMismatch);
export const badLabelsResponse = createWriteErrorResponsePart(
  'A label breaks a rule; none is changed',
  message.labelTaken('second', 'first'),
);
export const badPinsResponse = createWriteErrorResponsePart(
  'An id breaks a rule; no pin is changed',
  formatPinnedNoteNotFound(7),
);
export const badMergeResponse = createWriteErrorResponsePart(
  'A note breaks a rule; none is merged',
  httpMessage.formatNumberedNoteError(3, message.missingFields(['title'])),
);
export const missingNoteResponse = createErrorResponsePart('No such note', message.noSuchNote(7));
export const missingNoteForWriteResponse = createWriteErrorResponsePart('No such note', message.noSuchNote(7));
export const noteChangedResponse = createWriteErrorResponsePart(
  'The note has changed: no entity tag of the If-Match header is current',
  message.noteChanged(1),
);
export const readFailureResponse = createErrorResponsePart('Unexpected', message.storeNotRead, retryAfterHeader);
export const writeFailureResponse = createErrorResponsePart(
  'Unexpected; a header says whether the change may be stored',
  message.storeFailed,
  {
    ...outcomeHeaders,
    ...retryAfterHeader,
  },
);
export const pinsChangedResponse = createWriteErrorResponsePart(
  'The pins have changed: no entity tag of the If-Match header is current',
  pinsChanged,
);
const databaseIdHeaders = {
  [databaseHeader]: createHeaderPart('The same for all services that keep the same database'),
};
export const notReadyResponse = createErrorResponsePart('The store does not answer', message.storeNotRead, {
  ...retryAfterHeader,
  ...databaseIdHeaders,
});

const noEffectHeaders = {
  [outcomeHeader]: { description: 'Present for writes', schema: { type: 'string', const: 'none' } },
};
/** The responses to requests that may not be made, by the name of their component. */
export const accessRejections = {
  Unauthorized: createErrorResponsePart(
    'The service has an ACCESS_TOKEN, and the request has no valid one',
    httpMessage.wrongToken,
    {
      'WWW-Authenticate': { ...createHeaderPart('How to send the token'), required: true },
      ...noEffectHeaders,
    },
  ),
  Forbidden: createErrorResponsePart(
    'The token may only read and this is a write, or the request comes from a page of another origin',
    httpMessage.readOnlyToken,
    noEffectHeaders,
  ),
  TooManyRequests: createErrorResponsePart(
    'The token is wrong, as were ten others from the same address in this minute; a correct one is never delayed',
    httpMessage.tooManyWrongTokens,
    {
      'Retry-After': { ...createHeaderPart('After this many seconds', 'integer'), required: true },
      ...noEffectHeaders,
    },
  ),
} as const;

const createRejectionRef = (name: keyof typeof accessRejections) => ({ $ref: `#/components/responses/${name}` });

/** The rejections of an operation, by status. */
export const rejectionsByStatus = {
  401: createRejectionRef('Unauthorized'),
  403: createRejectionRef('Forbidden'),
  429: createRejectionRef('TooManyRequests'),
};

const createQueryParameter = (name: string, description: string, schema: Json) => ({
  name,
  in: 'query',
  description,
  schema,
});
export const createHeaderParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
export const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the note',
  schema: { type: 'integer', minimum: 1 },
};
export const cursorParameter = createQueryParameter('cursor', 'Like the header Last-Event-ID, which takes precedence', {
  type: 'string',
});
export const ifNoneMatchParameter = createHeaderParameter(
  'If-None-Match',
  'Known entity tags: the response is 304 if one of them is current',
);
export const ifMatchParameter = createHeaderParameter(
  'If-Match',
  'Entity tags: unless one of them is current, nothing is written and the response is 412',
);
const archivedParameter = createQueryParameter('archived', 'true: only archived notes; false: only active ones', {
  type: 'boolean',
});
export const filterParameters = [
  createQueryParameter('category', 'Only notes of this category', { type: 'string', enum: categories }),
  createQueryParameter('group', 'Only notes of this group', { type: 'string', enum: groups }),
  archivedParameter,
];

export const createLimitParameter = (maximum: number, description: string, fallback?: number) =>
  createQueryParameter('limit', description, {
    type: 'integer',
    minimum: 1,
    maximum,
    ...(fallback && { default: fallback }),
  });

const queryDescription =
  'Words in the title or the content; without any, all notes match. ' +
  'May contain filters, which narrow the result further: `c:css,prompts` (or `category:`), ' +
  '`g:first` (or `group:`; or labels with `-` for blanks), `color:info`, `archived:true`. ' +
  'Anything else is a word.';
export const searchParameters = [
  createQueryParameter('q', queryDescription, { type: 'string', maxLength: searchLimits.query }),
  createLimitParameter(
    searchLimits.notes,
    'How many notes to return at most; fewer if they are very long',
    searchLimits.defaultNotes,
  ),
  createQueryParameter('category', 'Only notes of this category, by its value or its label', {
    anyOf: [{ enum: categories }, { type: 'string', maxLength: maxLabelLength }],
  }),
  createQueryParameter('group', 'Only notes of this group, by its value or its label', {
    anyOf: [{ enum: groups }, { type: 'string', maxLength: maxLabelLength }],
  }),
  archivedParameter,
];
export const foundNotesResponse = createResponsePart('The best notes', noteArray, [exampleNote], {
  [foundHeader]: { ...createHeaderPart('How many notes match in all', 'integer'), required: true },
});

export const badSearchResponse = createErrorResponsePart(
  'A parameter or the Host header is not allowed',
  message.limitOutOfRange(searchLimits.notes),
);

export const createRequestBodyBySchemaName = (schema: string, shown: unknown) => ({
  required: true,
  content: createJsonContent(createSchemaRef(schema), shown),
});

/** This describes the response of `/readyz`. */
export const readyResponse = createResponsePart(
  'It can',
  { type: 'object', required: ['status'], properties: { status: { type: 'string', const: 'ready' } } },
  { status: 'ready' },
  databaseIdHeaders,
);

/** This describes the response of `/healthz`. */
export const aliveSchema = {
  type: 'object',
  required: ['status', 'version', 'commit'],
  properties: {
    status: { type: 'string', const: 'alive' },
    version: { type: 'string' },
    commit: { type: 'string', description: 'The commit that the program was built from, or `development`' },
    date: { type: 'string', format: 'date' },
    access: { type: 'string', const: 'token', description: 'Present if an access token is required' },
  },
};
