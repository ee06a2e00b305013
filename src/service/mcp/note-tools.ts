import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { draftDefaults, groups } from '../../core/enums.ts';
import { invalid } from '../../core/error.ts';
import { fieldsInValues, groupNamed, lineInValues } from '../../core/labels.ts';
import * as message from '../../core/message.ts';
import { Note, NoteDraft, NotePatch } from '../../core/note.ts';
import { filterBeside } from '../../core/query.ts';
import { isObject } from '../../core/tools/json.ts';
import { boundary, part, titleOf } from '../../core/tools/text.ts';
import {
  type Answering,
  answer,
  type Facts,
  type FindNotes,
  listedVersion,
  type McpStore,
  maxCharacters,
  type Secrets,
} from './mcp-responses.ts';

/** Adapts a schema for the SDK: the fields of a note come from zod/mini, which provides no JSON schema. */
export function toStandardSchema<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const jsonSchemaOf = (io: 'input' | 'output') => {
    let json: Record<string, unknown> | undefined;
    return () => (json ??= { ...z.toJSONSchema(schema, { io }) });
  };
  const jsonSchema = { input: jsonSchemaOf('input'), output: jsonSchemaOf('output') };
  const validate = (value: unknown) => {
    const { data, error } = schema.safeParse(value, { error: sentenceOf });
    if (error === undefined) return { value: data };
    return {
      issues: error.issues.map(({ path: [name, ...inside], message }) => {
        const isMissing = name !== undefined && inside.length === 0 && isObject(value) && !(name in value);
        return { message: isMissing ? missing(String(name)) : message };
      }),
    };
  };
  return { '~standard': { ...schema['~standard'], validate, jsonSchema } };
}

const missing = (name: string) => `Missing argument ${name}`;

/** Says what is wrong with an argument whose schema has no sentence of its own. */
function sentenceOf(issue: z.core.$ZodRawIssue): string {
  const name = issue.path?.join('.') ?? '';
  if (issue.code === 'unrecognized_keys') return `Unknown argument ${issue.keys.join(', ')}`;
  if (issue.input === undefined) return missing(name);
  if (issue.code === 'too_big') return `Invalid ${name}. Must be at most ${issue.maximum}`;
  if (issue.code === 'too_small') return `Invalid ${name}. Must be at least ${issue.minimum}`;
  return `Invalid ${name}. Must be ${issue.code === 'invalid_type' ? `of type ${issue.expected}` : 'valid'}`;
}

const max = { title: 1_000, content: 50_000, query: 1_000, notes: 50 };

const { id, category, group, color, archived } = Note.shape;
const groupOrName = z
  .union([group, z.string()], { error: message.notOneOf('group', groups) })
  .describe('its value, or its label');
/** Without the checks of a note: titles may be cut, and the pattern of a time would bloat the schema. */
export const text = z.string();

const NoteHead = z.object({ id, title: text, category, group, color, archived, createdAt: text, updatedAt: text });
const NotePart = z.object({ ...NoteHead.shape, content: text });
const FoundNote = z.object({ id, title: text, category, group, archived, updatedAt: text, excerpt: text });
const written = toStandardSchema(z.object({ note: NoteHead }));
/** The output of a write that replaces a text. */
export const replacedFields = toStandardSchema(
  z.object({ note: NoteHead, replaced: text.describe('the previous version, for get and revert: its updatedAt') }),
);

export const reading = { readOnlyHint: true, openWorldHint: false } as const;
export const writing = { readOnlyHint: false, openWorldHint: false } as const;

const search = {
  title: 'Search notes',
  description:
    'Finds notes that contain every word of the query, best first; ' +
    'an empty query finds all notes, newest first. Returns excerpts: use get to read a whole note.',
  inputSchema: toStandardSchema(
    z.strictObject({
      query: z
        .string()
        .max(max.query)
        .default('')
        .describe(
          'words in the title or the content, and filters such as c:css,prompts g:first color:info archived:true',
        ),
      category: z.exactOptional(category),
      group: z.exactOptional(groupOrName),
      archived: z.boolean().default(false).describe('true: search archived notes instead of active ones'),
      limit: z.int().min(1).max(max.notes).default(10),
    }),
  ),
  outputSchema: toStandardSchema(
    z.object({
      notes: z.array(FoundNote),
      total: z.int().describe('how many notes match, with those withheld'),
      truncated: z.boolean().describe('whether more notes match than shown'),
      withheld: z.exactOptional(z.int()).describe('how many are left out because they seem to contain secrets'),
    }),
  ),
  annotations: reading,
};

const get = {
  title: 'Read a note',
  description:
    'Returns a note, or an earlier version of it. ' +
    `Content of more than ${max.content} characters comes in parts: pass nextOffset as offset to read on.`,
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      offset: z.int().min(0).default(0).describe('where in the content to start'),
      version: z.exactOptional(text).describe('an earlier version, as listed by history'),
    }),
  ),
  outputSchema: toStandardSchema(
    z.object({
      note: NotePart,
      offset: z.int().describe('where in the content this part starts'),
      length: z.int().describe('length of the whole content'),
      nextOffset: z.exactOptional(z.int()).describe('where the next part starts; absent at the end'),
    }),
  ),
  annotations: reading,
};

const create = {
  title: 'Create a note',
  description: 'Stores a new note and returns it without its content.',
  inputSchema: toStandardSchema(
    z.strictObject({
      title: z.exactOptional(NoteDraft.shape.title).describe('default: the first line of the content'),
      content: NoteDraft.shape.content,
      category: z.prefault(category, draftDefaults.category),
      group: groupOrName.default(draftDefaults.group),
      color: z.prefault(color, draftDefaults.color),
    }),
  ),
  outputSchema: written,
  annotations: { ...writing, destructiveHint: false, idempotentHint: false },
};

const update = {
  title: 'Change a note',
  description:
    'Replaces the given fields of a note; history keeps the previous version, for revert. ' +
    'Read the note with get first and pass its updatedAt: if the note has changed since, nothing is written.',
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      updatedAt: text.describe('as returned by get'),
      ...NotePatch.shape,
      group: z.exactOptional(groupOrName),
    }),
  ),
  outputSchema: replacedFields,
  annotations: { ...writing, destructiveHint: true, idempotentHint: true },
};

const archive = {
  title: 'Archive a note',
  description: 'Archives a note, or unarchives it with archived: false. Notes are never deleted.',
  inputSchema: toStandardSchema(z.strictObject({ id, archived: z.boolean().default(true) })),
  outputSchema: written,
  annotations: { ...writing, destructiveHint: false, idempotentHint: true },
};

export interface ToolDeps extends Answering {
  readonly server: McpServer;
  readonly find: FindNotes;
  readonly secrets: Secrets;
  /** Call after each write. */
  readonly changed: () => void;
}

export function addReadTools({ server, find, secrets, ...answering }: ToolDeps): void {
  server.registerTool('search', search, ({ query: line, limit, ...fields }, { mcpReq }) =>
    answer(answering, async (store) => {
      const query = await lineInValues(line, store);
      const wanted = { query, filter: filterBeside(query, await fieldsInValues(fields, store)), limit };
      const found = await find(store, wanted, mcpReq.signal);
      return { ...found, ...(await secrets.partOf(found.notes, (id) => store.get(id))) };
    }),
  );
  server.registerTool('get', get, ({ id, offset, version }) =>
    answer(answering, async (store) => {
      const note = version === undefined ? await store.get(id) : await listedVersion(store, id, version);
      return partFacts(secrets.permitted(note), offset);
    }),
  );
}

export function addWriteTools({ server, secrets, changed, ...answering }: ToolDeps): void {
  const write = (work: (store: McpStore) => Promise<Note>, facts: Facts = {}) =>
    answer(answering, async (store) => {
      const note = await work(store);
      changed();
      return { note: headOf(note), ...facts };
    });

  server.registerTool('create', create, (draft) =>
    write(async (store) => {
      const title = draft.title ?? (titleOf(draft.content) || draft.content);
      return store.create({ ...draft, title, group: await groupNamed(draft.group, store) });
    }),
  );
  server.registerTool('update', update, ({ id, updatedAt, ...patch }) =>
    write(
      async (store) => {
        if (Object.keys(patch).length === 0) throw invalid('Must hold at least one field to change');
        return await store.update(id, await fieldsInValues(patch, store), [updatedAt]);
      },
      { replaced: updatedAt },
    ),
  );
  server.registerTool('archive', archive, ({ id, archived }) =>
    write(async (store) => {
      secrets.permitted(await store.get(id)); // the answer has the title
      return await store.setArchived(id, archived);
    }),
  );
}

export const headOf = ({ content: _, ...head }: Note) => ({ ...head, title: part(head.title, max.title) });

/** Returns as much of the content as fits; characters that JSON escapes take more room. */
function partFacts(note: Note, given: number): Facts {
  const { content } = note;
  const offset = boundary(content, given);
  for (let length = max.content; ; length = Math.floor(length / 2)) {
    const next = boundary(content, offset + length);
    const head = { note: { ...headOf(note), content: content.slice(offset, next) }, offset, length: content.length };
    const facts = next < content.length ? { ...head, nextOffset: next } : head;
    if (JSON.stringify(facts).length <= maxCharacters) return facts;
  }
}
