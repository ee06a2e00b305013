import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A schema as the SDK reads it. The fields of a note are of zod's small kind, which does not tell its JSON schema by itself. */
export function standard<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const jsonSchemaOf = (io: 'input' | 'output') => {
    let json: Record<string, unknown> | undefined;
    return () => (json ??= { ...z.toJSONSchema(schema, { io }) });
  };
  const jsonSchema = { input: jsonSchemaOf('input'), output: jsonSchemaOf('output') };
  return { '~standard': { ...schema['~standard'], jsonSchema } };
}
