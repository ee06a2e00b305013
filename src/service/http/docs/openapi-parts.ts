/** Shared parts of the OpenAPI document: examples, responses, parameters. */
import { writeOutcomes } from '../../../core/error.ts';
import { maxLabelLength } from '../../../core/labels.ts';
import * as message from '../../../core/message.ts';
import { categories, groups, type Note } from '../../../core/note.ts';
import { cursorHeader, databaseHeader, foundHeader, outcomeHeader } from '../../../core/protocol.ts';
import { searchLimits } from '../../../core/store.ts';
import { draftOf } from '../../../core/versions.ts';
import * as httpMessage from '../http-messages.ts';

export type Json = Readonly<Record<string, unknown>>;

export const example: Note = {
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
export const draftExample = draftOf(example);

export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json, shown: unknown) => ({ 'application/json': { schema, example: shown } });
export const responseOf = (description: string, schema: Json, shown: unknown, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: json(schema, shown),
});
export const failure = (description: string, text: string, headers?: Json) =>
  responseOf(description, ref('Error'), { error: text }, headers);
const header = (description: string, type = 'string') => ({ description, schema: { type } });

export const noteArray = { type: 'array', items: ref('Note') };
export const note = responseOf('The note as it is now', ref('Note'), example);
export const taggedNote = { ...note, headers: { ETag: header('The entity tag of the note') } };
export const labelsAnswer = responseOf(
  'The labels of the groups',
  ref('Labels'),
  { first: 'Work', second: 'At home', third: null, fourth: null, fifth: null },
  { ETag: header('The entity tag of all labels') },
);
const cursor = { [cursorHeader]: header('The cursor to continue with: events after this list') };
export const tagged = { ETag: header('The entity tag of the answer'), Vary: header('Accept-Encoding'), ...cursor };
export const unchanged = {
  description: 'It still has an entity tag of the If-None-Match header',
  headers: { ETag: header('The same entity tag') },
};
export const unchangedList = { ...unchanged, headers: tagged };

export const again = {
  'Retry-After': header('Present if a retry is safe and may succeed: after this many seconds', 'integer'),
};
const outcome = {
  [outcomeHeader]: {
    description: 'Whether the write happened: none, it did not; unknown, it may have',
    required: true,
    schema: { type: 'string', enum: writeOutcomes },
  },
};
/** A response to a refused write. */
const refusal = (description: string, text: string) => failure(description, text, outcome);

export const badHost = failure('The Host header is not allowed', httpMessage.hostNotAllowed);
export const badFilter = failure('A filter or the Host header is not allowed', message.notOneOf('group', groups));
export const badWrite = refusal('The Host header is not allowed', httpMessage.hostNotAllowed);
export const badBody = refusal('The body breaks a rule', message.missingFields(['title', 'color']));
export const badUpdate = refusal('The body breaks a rule', message.idMismatch);
export const badLabels = refusal('A label breaks a rule; none is changed', message.labelTaken('second', 'first'));
export const badMerge = refusal(
  'A note breaks a rule; none is merged',
  httpMessage.wrongNote(3, message.missingFields(['title'])),
);
export const noNote = failure('No such note', message.noSuchNote(7));
export const noNoteToChange = refusal('No such note', message.noSuchNote(7));
export const changed = refusal(
  'The note has changed: no entity tag of the If-Match header is current',
  message.noteChanged(1),
);
export const unread = failure('Unexpected', message.storeNotRead, again);
export const broken = failure('Unexpected; a header says whether the change may be stored', message.storeFailed, {
  ...outcome,
  ...again,
});
const keptDatabase = { [databaseHeader]: header('The same for all services that keep the same database') };
export const notReady = failure('The store does not answer', message.storeNotRead, { ...again, ...keptDatabase });

const noOutcome = {
  [outcomeHeader]: { description: 'Present for writes', schema: { type: 'string', const: 'none' } },
};
/** The responses to requests that may not be made, by the name of their component. */
export const rejections = {
  Unauthorized: failure('The service has an ACCESS_TOKEN, and the request has no valid one', httpMessage.wrongToken, {
    'WWW-Authenticate': { ...header('How to send the token'), required: true },
    ...noOutcome,
  }),
  Forbidden: failure(
    'The token may only read and this is a write, or the request comes from a page of another origin',
    httpMessage.readOnlyToken,
    noOutcome,
  ),
  TooManyRequests: failure(
    'The token is wrong, as were ten others from the same address in this minute; a correct one is never delayed',
    httpMessage.tooManyWrongTokens,
    { 'Retry-After': { ...header('After this many seconds', 'integer'), required: true }, ...noOutcome },
  ),
} as const;

const refToRejection = (name: keyof typeof rejections) => ({ $ref: `#/components/responses/${name}` });

/** The rejections of an operation, by status. */
export const rejectionsByStatus = {
  401: refToRejection('Unauthorized'),
  403: refToRejection('Forbidden'),
  429: refToRejection('TooManyRequests'),
};

const inQuery = (name: string, description: string, schema: Json) => ({ name, in: 'query', description, schema });
export const requestHeader = (name: string, description: string) => ({
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
export const cursorParameter = inQuery('cursor', 'Like the header Last-Event-ID, which takes precedence', {
  type: 'string',
});
export const ifNoneMatch = requestHeader(
  'If-None-Match',
  'Known entity tags: the answer is 304 if one of them is current',
);
export const ifMatch = requestHeader(
  'If-Match',
  'Entity tags: unless one of them is current, nothing is written and the answer is 412',
);
const ofCategory = inQuery('category', 'Only notes of this category', { type: 'string', enum: categories });
const ofArchived = inQuery('archived', 'true: only archived notes; false: only active ones', {
  type: 'boolean',
});
export const filterParameters = [
  ofCategory,
  inQuery('group', 'Only notes of this group', { type: 'string', enum: groups }),
  ofArchived,
];

export const limit = (maximum: number, description: string, fallback?: number) =>
  inQuery('limit', description, { type: 'integer', minimum: 1, maximum, ...(fallback && { default: fallback }) });

const queryLine =
  'Words in the title or the content; without any, all notes match. ' +
  'May contain filters, which narrow the result further: `c:css,prompts` (or `category:`), ' +
  '`g:first` (or `group:`, or a label with `-` for blanks), `color:info`, `archived:true`. ' +
  'Anything else is a word.';
export const searching = [
  inQuery('q', queryLine, { type: 'string', maxLength: searchLimits.query }),
  limit(searchLimits.notes, 'How many notes to return at most; fewer if they are very long', searchLimits.defaultNotes),
  ofCategory,
  inQuery('group', 'Only notes of this group, by its value or its label', {
    anyOf: [{ enum: groups }, { type: 'string', maxLength: maxLabelLength }],
  }),
  ofArchived,
];
export const found = responseOf('The best notes', noteArray, [example], {
  [foundHeader]: { ...header('How many notes match in all', 'integer'), required: true },
});

export const badSearch = failure(
  'A parameter or the Host header is not allowed',
  message.invalidLimit(searchLimits.notes),
);

export const body = (schema: string, shown: unknown) => ({ required: true, content: json(ref(schema), shown) });

/** The response of `/readyz`. */
export const ready = responseOf(
  'It can',
  { type: 'object', required: ['status'], properties: { status: { type: 'string', const: 'ready' } } },
  { status: 'ready' },
  keptDatabase,
);

/** The response of `/healthz`. */
export const alive = {
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
