/** Shared parts of the OpenAPI document: examples, responses, parameters. */
import { outcomeHeader, writeOutcomes } from '../../domain/error.ts';
import { maxLabelLength } from '../../domain/labels/labels.ts';
import * as message from '../../domain/message.ts';
import { categories, groups, type Note } from '../../domain/note.ts';
import { archivedValues } from '../../domain/parse.ts';
import { foundHeader, searchLimits } from '../../domain/store.ts';
import { draftOf } from '../../domain/versions.ts';
import { cursorHeader } from '../headers.ts';

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
export const answer = (description: string, schema: Json, shown: unknown, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: json(schema, shown),
});
export const failure = (description: string, text: string, headers?: Json) =>
  answer(description, ref('Error'), { error: text }, headers);
const header = (description: string, type = 'string') => ({ description, schema: { type } });

export const notes = { type: 'array', items: ref('Note') };
export const note = answer('The note as it is now', ref('Note'), example);
export const taggedNote = { ...note, headers: { ETag: header('The entity tag of the note') } };
export const labels = answer(
  'What the groups are called',
  ref('Labels'),
  { first: 'Work', second: 'At home', third: null, fourth: null, fifth: null },
  { ETag: header('The entity tag of all labels') },
);
export const unchangedLabels = {
  description: 'They are still as the If-None-Match header says',
  headers: { ETag: header('As before') },
};
const cursor = { [cursorHeader]: header('Where events go on after this list') };
export const tagged = { ETag: header('Names the state of the answer'), Vary: header('Accept-Encoding'), ...cursor };
export const unchanged = {
  description: 'It is still as the If-None-Match header says',
  headers: { ETag: header('As before'), ...cursor },
};

export const again = {
  'Retry-After': header('Where sending it again helps and does no harm: after so many seconds', 'integer'),
};
const outcome = {
  [outcomeHeader]: {
    description: 'Whether the write happened: none, certainly not; unknown, it may have',
    required: true,
    schema: { type: 'string', enum: writeOutcomes },
  },
};
/** A response to a refused write. */
const refusal = (description: string, text: string) => failure(description, text, outcome);

export const badHost = failure('The Host header is not allowed', message.hostNotAllowed);
export const badFilter = failure('A filter or the Host header is not allowed', message.notOneOf('group', groups));
export const badWrite = refusal('The Host header is not allowed', message.hostNotAllowed);
export const badBody = refusal('The body breaks a rule', message.missingFields(['title', 'color']));
export const badUpdate = refusal('The body breaks a rule', message.idMismatch);
export const badLabels = refusal('A label breaks a rule; none is changed', message.labelTaken('second', 'first'));
export const badMerge = refusal(
  'A note breaks a rule; none is taken',
  message.wrongNote(3, message.missingFields(['title'])),
);
export const noNote = failure('No such note', message.noSuchNote(7));
export const noNoteToChange = refusal('No such note', message.noSuchNote(7));
export const changed = refusal('The note has moved on since the If-Match header was read', message.noteChanged(1));
export const unread = failure('Unexpected', message.storeNotRead, again);
export const broken = failure('Unexpected; a header tells whether the change may be stored', message.storeFailed, {
  ...outcome,
  ...again,
});
export const notReady = failure('The store does not answer', message.storeNotRead, again);

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
export const cursorParameter = inQuery('cursor', 'As the header Last-Event-ID, which goes before it', {
  type: 'string',
});
export const ifNoneMatch = requestHeader(
  'If-None-Match',
  'Entity tags that are known: answers 304 when one is current',
);
export const ifMatch = requestHeader(
  'If-Match',
  'Entity tags of which one must be current, else nothing is written and 412 answered',
);
const ofCategory = inQuery('category', 'Only notes of this category', { type: 'string', enum: categories });
const ofArchived = inQuery('archived', 'Only archived notes, or only active ones', {
  type: 'string',
  enum: archivedValues,
});
export const filters = [
  ofCategory,
  inQuery('group', 'Only notes of this group', { type: 'string', enum: groups }),
  ofArchived,
];

export const limit = (maximum: number, description: string, fallback?: number) =>
  inQuery('limit', description, { type: 'integer', minimum: 1, maximum, ...(fallback && { default: fallback }) });

const queryLine =
  'Words in the title or the content; without any, all notes are found. Filters may stand among them, and narrow the others: `c:css,prompts` (or `category:`), `g:first` (or `group:`, or a label with `-` for blanks), `color:info`, `archived:true`. What is no filter is a word.';
export const searching = [
  inQuery('q', queryLine, { type: 'string', maxLength: searchLimits.query }),
  limit(
    searchLimits.notes,
    'How many notes to answer at most; fewer where they are very long',
    searchLimits.defaultNotes,
  ),
  ofCategory,
  inQuery('group', 'Only notes of this group, by its value or its label', {
    anyOf: [{ enum: groups }, { type: 'string', maxLength: maxLabelLength }],
  }),
  ofArchived,
];
export const found = answer('The best notes', notes, [example], {
  [foundHeader]: { ...header('How many notes match in all', 'integer'), required: true },
});
export const after = inQuery('after', 'The id after which to begin', { type: 'integer', minimum: 0, default: 0 });

export const badSearch = failure(
  'A parameter or the Host header is not allowed',
  message.invalidLimit(searchLimits.notes),
);

export const body = (schema: string, shown: unknown) => ({ required: true, content: json(ref(schema), shown) });

/** The response of `/readyz`. */
export const ready = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ready' } },
};

/** The response of `/healthz`. */
export const alive = {
  type: 'object',
  required: ['status', 'version', 'commit'],
  properties: {
    status: { type: 'string', const: 'alive' },
    version: { type: 'string' },
    commit: { type: 'string', description: 'The sources that the program was made of, or `development`' },
    date: { type: 'string', format: 'date' },
    access: { type: 'string', const: 'token', description: 'There where an access token is needed' },
  },
};
