import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { categories, draftDefaults, groups } from '../../core/enums.ts';
import { createInvalidError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { isObject } from '../../core/json/json.ts';
import { Note, NoteDraft, NotePatch } from '../../core/note.ts';
import { omitOverriddenArchived } from '../../core/search-line.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import { findCharacterStart, truncateText } from '../../core/text/truncate-text.ts';
import { resolveLabelsInFields, resolveLabelsInLine } from '../../core/value-labels.ts';
import { type McpContext, maxResponseCharacters, runToolAndReportErrors, type ToolOutput } from './mcp-responses.ts';
import { getNoteAtVersion, type McpStore } from './mcp-store.ts';
import type { FindNotes } from './note-search.ts';
import type { SecretPolicy } from './secret-policy.ts';

/** Adapts a schema for the SDK: the fields of a note come from zod/mini, which provides no JSON schema. */
export function toStandardSchema<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const memoizeJsonSchema = (io: 'input' | 'output') => {
    let json: Record<string, unknown> | undefined;
    return () => (json ??= { ...z.toJSONSchema(schema, { io }) });
  };
  const jsonSchema = { input: memoizeJsonSchema('input'), output: memoizeJsonSchema('output') };
  const validate = (value: unknown) => {
    const { data, error } = schema.safeParse(value, { error: formatIssue });
    if (error === undefined) return { value: data };
    return {
      issues: error.issues.map(({ path: [name, ...inside], message }) => {
        const isMissing = name !== undefined && inside.length === 0 && isObject(value) && !(name in value);
        return { message: isMissing ? formatMissingArgument(String(name)) : message };
      }),
    };
  };
  return { '~standard': { ...schema['~standard'], validate, jsonSchema } };
}

const formatMissingArgument = (name: string) => `Missing argument ${name}`;

/** Says what is wrong with an argument whose schema has no sentence of its own. */
function formatIssue(issue: z.core.$ZodRawIssue): string {
  const name = issue.path?.join('.') ?? '';
  if (issue.code === 'unrecognized_keys') return `Unknown argument ${issue.keys.join(', ')}`;
  if (issue.input === undefined) return formatMissingArgument(name);
  if (issue.code === 'too_big') return `Invalid ${name}. Must be at most ${issue.maximum}`;
  if (issue.code === 'too_small') return `Invalid ${name}. Must be at least ${issue.minimum}`;
  return `Invalid ${name}. Must be ${issue.code === 'invalid_type' ? `of type ${issue.expected}` : 'valid'}`;
}

const toolLimits = { title: 1_000, content: 50_000, query: 1_000, notes: 50 };

const { content: _, ...headShape } = Note.shape;
const { id, category, group, color, archived } = headShape;
const groupOrLabel = z
  .union([group, z.string()], { error: message.notOneOf('group', groups) })
  .describe('its value, or its label');
const categoryOrLabel = z
  .union([category, z.string()], { error: message.notOneOf('category', categories) })
  .describe('its value, or its label');
/** A text has none of the checks of a note: titles may be cut, and the pattern of a time would bloat the schema. */
export const plainText = z.string();

const NoteHead = z.object({ ...headShape, title: plainText, createdAt: plainText, updatedAt: plainText });
const NotePart = z.object({ ...NoteHead.shape, content: plainText });
const FoundNote = z.object({
  id,
  title: plainText,
  category,
  group,
  archived,
  updatedAt: plainText,
  excerpt: plainText,
});
const writtenOutput = toStandardSchema(z.object({ note: NoteHead }));
/** A write that replaces a text has this output. */
export const replacedOutput = toStandardSchema(
  z.object({ note: NoteHead, replaced: plainText.describe('the previous version, for get and revert: its updatedAt') }),
);

export const readAnnotations = { readOnlyHint: true, openWorldHint: false } as const;
export const writeAnnotations = { readOnlyHint: false, openWorldHint: false } as const;

const searchTool = {
  title: 'Search notes',
  description:
    'Finds notes that contain every word of the query, best first; ' +
    'an empty query finds all notes, newest first. Returns excerpts: use get to read a whole note.',
  inputSchema: toStandardSchema(
    z.strictObject({
      query: z
        .string()
        .max(toolLimits.query)
        .default('')
        .describe(
          'words in the title or the content, and filters such as c:css,prompts g:first color:info archived:true',
        ),
      category: z.exactOptional(categoryOrLabel),
      group: z.exactOptional(groupOrLabel),
      archived: z.boolean().default(false).describe('true: search archived notes instead of active ones'),
      limit: z.int().min(1).max(toolLimits.notes).default(10),
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
  annotations: readAnnotations,
};

const getTool = {
  title: 'Read a note',
  description:
    'Returns a note, or an earlier version of it. ' +
    `Content of more than ${toolLimits.content} characters comes in parts: pass nextOffset as offset to read on.`,
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      offset: z.int().min(0).default(0).describe('where in the content to start'),
      version: z.exactOptional(plainText).describe('an earlier version, as listed by history'),
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
  annotations: readAnnotations,
};

const createTool = {
  title: 'Create a note',
  description: 'Stores a new note and returns it without its content.',
  inputSchema: toStandardSchema(
    z.strictObject({
      title: z.exactOptional(NoteDraft.shape.title).describe('default: the first line of the content'),
      content: NoteDraft.shape.content,
      category: categoryOrLabel.default(draftDefaults.category),
      group: groupOrLabel.default(draftDefaults.group),
      color: z.prefault(color, draftDefaults.color),
    }),
  ),
  outputSchema: writtenOutput,
  annotations: { ...writeAnnotations, destructiveHint: false, idempotentHint: false },
};

const updateTool = {
  title: 'Change a note',
  description:
    'Replaces the given fields of a note; history keeps the previous version, for revert. ' +
    'Read the note with get first and pass its updatedAt: if the note has changed since, nothing is written.',
  inputSchema: toStandardSchema(
    z.strictObject({
      id,
      updatedAt: plainText.describe('as returned by get'),
      ...NotePatch.shape,
      category: z.exactOptional(categoryOrLabel),
      group: z.exactOptional(groupOrLabel),
    }),
  ),
  outputSchema: replacedOutput,
  annotations: { ...writeAnnotations, destructiveHint: true, idempotentHint: true },
};

const archiveTool = {
  title: 'Archive a note',
  description: 'Archives a note, or unarchives it with archived: false. Notes are never deleted.',
  inputSchema: toStandardSchema(z.strictObject({ id, archived: z.boolean().default(true) })),
  outputSchema: writtenOutput,
  annotations: { ...writeAnnotations, destructiveHint: false, idempotentHint: true },
};

export interface ToolDeps extends McpContext {
  readonly server: McpServer;
  readonly find: FindNotes;
  readonly secrets: SecretPolicy;
  /** Tools call it after each write, so that clients read the list of prompts again. */
  readonly notifyChanged: () => void;
}

export function addReadTools({ server, find, secrets, ...context }: ToolDeps): void {
  server.registerTool('search', searchTool, ({ query: line, limit, ...fields }, { mcpReq }) =>
    runToolAndReportErrors(context, async (store) => {
      const query = await resolveLabelsInLine(line, store);
      const wanted = {
        query,
        filter: omitOverriddenArchived(query, await resolveLabelsInFields(fields, store)),
        limit,
      };
      const found = await find(store, wanted, mcpReq.signal);
      return { ...found, ...(await secrets.readAndOmitWithheldNotes(found.notes, (id) => store.get(id))) };
    }),
  );
  server.registerTool('get', getTool, ({ id, offset, version }) =>
    runToolAndReportErrors(context, async (store) => {
      const note = version === undefined ? await store.get(id) : await getNoteAtVersion(store, id, version);
      return createNotePartAtOffset(secrets.getPermittedNoteOrThrow(note), offset);
    }),
  );
}

export function addWriteTools({ server, secrets, notifyChanged, ...context }: ToolDeps): void {
  const respondToWrite = (work: (store: McpStore) => Promise<Note>, others: ToolOutput = {}) =>
    runToolAndReportErrors(context, async (store) => {
      const note = await work(store);
      notifyChanged();
      return { note: toNoteListItem(note), ...others };
    });

  server.registerTool('create', createTool, (draft) =>
    respondToWrite(async (store) => {
      const title = draft.title ?? (deriveTitle(draft.content) || draft.content);
      const { category = draftDefaults.category, group = draftDefaults.group } = await resolveLabelsInFields(
        draft,
        store,
      );
      return store.create({ ...draft, title, category, group });
    }),
  );
  server.registerTool('update', updateTool, ({ id, updatedAt, ...patch }) =>
    respondToWrite(
      async (store) => {
        if (Object.keys(patch).length === 0) throw createInvalidError('Must hold at least one field to change');
        return await store.update(id, await resolveLabelsInFields(patch, store), [updatedAt]);
      },
      { replaced: updatedAt },
    ),
  );
  server.registerTool('archive', archiveTool, ({ id, archived }) =>
    respondToWrite(async (store) => {
      secrets.getPermittedNoteOrThrow(await store.get(id)); // the response has the title
      return await store.setArchived(id, archived);
    }),
  );
}

export const toNoteListItem = ({ content: _, ...head }: Note) => ({
  ...head,
  title: truncateText(head.title, toolLimits.title),
});

/** Returns as much of the content as fits; characters that JSON escapes take more room. */
function createNotePartAtOffset(note: Note, wantedOffset: number): ToolOutput {
  const { content } = note;
  const offset = findCharacterStart(content, wantedOffset);
  for (let length = toolLimits.content; ; length = Math.floor(length / 2)) {
    const next = findCharacterStart(content, offset + length);
    const head = {
      note: { ...toNoteListItem(note), content: content.slice(offset, next) },
      offset,
      length: content.length,
    };
    const result = next < content.length ? { ...head, nextOffset: next } : head;
    if (JSON.stringify(result).length <= maxResponseCharacters) return result;
  }
}
