import * as z from 'zod/mini';
import packageJson from '../../../../package.json' with { type: 'json' };
import { categories, groups } from '../../../core/enums.ts';
import { Note, NoteDraft, NotePatch, PortableNote } from '../../../core/note.ts';
import { maxPins } from '../../../core/pins.ts';
import { mergeOutcomes } from '../../../core/store.ts';
import { maxLabelLength } from '../../../core/value-labels.ts';
import { maxMergedNotes } from '../routes/merge-routes.ts';
import { accessRejections, createSchemaRef, fieldDescriptions, idParameter, type Json } from './openapi-parts.ts';
import { openApiPaths } from './openapi-paths.ts';

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
  description: 'The label of the group or category, unlike that of any other; null: it is called by its value',
};
const labelsSchema = {
  type: 'object',
  properties: Object.fromEntries([...groups, ...categories].map((value) => [value, labelSchema])),
  additionalProperties: false,
};

function createSchemas(): Json {
  const update = toJsonSchemaWithFieldDescriptions(NotePatch);
  return {
    Note: toJsonSchemaWithFieldDescriptions(Note),
    NoteDraft: toJsonSchemaWithFieldDescriptions(NoteDraft),
    NoteUpdate: {
      ...update,
      properties: { id: { ...idParameter.schema, description: 'The same id as in the path' }, ...update.properties },
      required: ['id'],
    },
    Labels: { ...labelsSchema, required: [...groups, ...categories] },
    LabelsUpdate: labelsSchema,
    Pins: {
      type: 'object',
      required: ['ids'],
      properties: {
        ids: {
          type: 'array',
          maxItems: maxPins,
          uniqueItems: true,
          items: { type: 'integer', minimum: 1 },
          description: 'The ids of the pinned notes, in the order in which they are shown',
        },
      },
    },
    PortableNote: toJsonSchemaWithFieldDescriptions(PortableNote),
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
function toJsonSchemaWithFieldDescriptions(schema: z.ZodMiniObject) {
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...(property as Json), description: (fieldDescriptions as Record<string, string>)[name] },
  ]);
  return { ...rest, properties: Object.fromEntries(described) as Json };
}

export const openApiJson = JSON.stringify(createOpenApiDocument());
