import * as z from 'zod/mini';
import packageJson from '../../../../package.json' with { type: 'json' };
import { groups } from '../../../core/enums.ts';
import { maxLabelLength } from '../../../core/group-labels.ts';
import { Note, NoteDraft, NotePatch, type Origin, PortableNote } from '../../../core/note.ts';
import { mergeOutcomes } from '../../../core/store.ts';
import { maxMergedNotes } from '../routes/merge-routes.ts';
import { accessRejections, createSchemaRef, idParameter, type Json } from './openapi-parts.ts';
import { openApiPaths } from './openapi-paths.ts';

const fieldDescriptions = {
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

/** Generates the OpenAPI 3.1 document from the schemas that validate input. */
export function createOpenApiDocument(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Notes',
      version: packageJson.version,
      description: packageJson.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'The service that serves this document, relative to it' }],
    security: [{}, { token: [] }],
    tags: [
      { name: 'notes', description: 'Store and find notes' },
      { name: 'service', description: 'For operators of the service' },
    ],
    paths: openApiPaths,
    components: {
      schemas: createSchemas(),
      responses: accessRejections,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Required only if the service has an ACCESS_TOKEN' },
      },
    },
  };
}

const labelSchema = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: maxLabelLength,
  description: 'The label of the group, unlike that of any other; null: it is called by its value',
};
const labelsSchema = {
  type: 'object',
  properties: Object.fromEntries(groups.map((group) => [group, labelSchema])),
  additionalProperties: false,
};

function createSchemas(): Json {
  const update = createDescribedSchema(NotePatch);
  return {
    Note: createDescribedSchema(Note),
    NoteDraft: createDescribedSchema(NoteDraft),
    NoteUpdate: {
      ...update,
      properties: { id: { ...idParameter.schema, description: 'The same id as in the path' }, ...update.properties },
      required: ['id'],
    },
    Labels: { ...labelsSchema, required: groups },
    LabelsUpdate: labelsSchema,
    PortableNote: createDescribedSchema(PortableNote),
    NotesToMerge: {
      type: 'object',
      required: ['notes'],
      properties: {
        notes: { type: 'array', maxItems: maxMergedNotes, items: createSchemaRef('PortableNote') },
        dryRun: {
          type: 'boolean',
          default: false,
          description: 'Report what would happen to the notes, and change nothing',
        },
      },
    },
    Merged: {
      type: 'object',
      required: ['results'],
      properties: { results: { type: 'array', items: createSchemaRef('MergeResult') } },
      additionalProperties: false,
    },
    MergeResult: {
      type: 'object',
      required: ['outcome'],
      properties: {
        outcome: { type: 'string', enum: mergeOutcomes },
        id: { type: 'integer', description: 'The stored note; missing for one that a dry run would add' },
      },
      additionalProperties: false,
    },
    Error: {
      type: 'object',
      required: ['error'],
      properties: { error: { type: 'string', description: 'What went wrong, in words for people' } },
      additionalProperties: false,
    },
  };
}

/** Creates the JSON Schema of an object with described properties. It allows others, as unknown fields are ignored. */
function createDescribedSchema(schema: z.ZodMiniObject) {
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...(property as Json), description: (fieldDescriptions as Record<string, string>)[name] },
  ]);
  return { ...rest, properties: Object.fromEntries(described) as Json };
}

export const openApiJson = JSON.stringify(createOpenApiDocument());
