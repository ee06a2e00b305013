import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Adapts a schema for the SDK: the fields of a note come from zod/mini, which provides no JSON schema. */
export function toStandardSchema<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const jsonSchemaOf = (io: 'input' | 'output') => {
    let json: Record<string, unknown> | undefined;
    return () => (json ??= { ...z.toJSONSchema(schema, { io }) });
  };
  const jsonSchema = { input: jsonSchemaOf('input'), output: jsonSchemaOf('output') };
  return { '~standard': { ...schema['~standard'], jsonSchema } };
}
