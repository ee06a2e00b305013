import type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument } from '@modelcontextprotocol/server';
import { createInvalidError, NoteError, rethrowUnlessNotFound } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import {
  fillPlaceholders,
  getValueOrDefault,
  listDistinctPlaceholders,
  type Placeholder,
  splitAtPlaceholders,
} from '../../core/placeholders.ts';
import { tryParseId } from '../../core/request-parameters.ts';
import { truncateToOneLine } from '../../core/text/truncate-text.ts';
import { type McpContext, maxResponseCharacters, runOrThrowProtocolError } from './mcp-responses.ts';
import type { McpStore } from './mcp-store.ts';
import { createNoteSlugWithId } from './note-slug.ts';
import type { ToolDeps } from './note-tools.ts';
import type { SecretPolicy } from './secret-policy.ts';

/** The limits of a list of prompts are in characters and items, and that of a filled prompt is in characters. */
const promptLimits = { title: 200, description: 200, prompts: 200, arguments: 100, argumentName: 100, filled: 500_000 };

type PromptDeps = McpContext & Pick<ToolDeps, 'server' | 'secrets'>;

/**
 * Offers every active note in `prompts` as a prompt. Uses request handlers instead of registering each: notes change
 * while a client is connected, and notes are read only on request.
 */
export function addPromptHandlers({ server: { server }, secrets, ...context }: PromptDeps): void {
  server.setRequestHandler('prompts/list', ({ params }) =>
    runOrThrowProtocolError(context, (store) => readPromptPage(store, secrets, params?.cursor)),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    runOrThrowProtocolError(context, async (store) => {
      const note = secrets.getPermittedNoteOrThrow(await getPromptNote(store, params.name));
      return createFilledPromptResult(note, params.arguments ?? {});
    }),
  );
}

/** Lists a page of prompts, newest first. The cursor is the id of its last note, so new notes do not shift pages. */
async function readPromptPage(
  store: McpStore,
  secrets: SecretPolicy,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : tryParseId(cursor);
  if (before === undefined) throw createInvalidError('Invalid cursor. Must be one that a list returned');
  let last: readonly Note[] = [];
  let withheld = 0;
  for await (const notes of store.scan({ category: 'prompts', archived: false })) {
    const permitted = notes.filter((note) => !secrets.isWithheldNote(note));
    withheld += notes.length - permitted.length;
    last = [...last, ...permitted.filter(({ id }) => id < before)].slice(-promptLimits.prompts - 1);
  }
  const meta = withheld > 0 ? { _meta: { withheld } } : {};
  const prompts: Prompt[] = [];
  let nextCursor: string | undefined;
  let characters = 0;
  for (const note of last.toReversed()) {
    const prompt = toPromptListItem(note);
    characters += JSON.stringify(prompt).length;
    const isFull = prompts.length === promptLimits.prompts || characters > maxResponseCharacters;
    if (isFull && nextCursor !== undefined) return { prompts, nextCursor, ...meta };
    prompts.push(prompt);
    nextCursor = String(note.id);
  }
  return { prompts, ...meta };
}

function createFilledPromptResult(note: Note, args: Readonly<Record<string, string>>): GetPromptResult {
  const wanted = listArgumentPlaceholders(note);
  const missing = wanted.filter((one) => one.default === undefined && !Object.hasOwn(args, one.name));
  if (missing.length > 0) throw createInvalidError(`Missing arguments: ${missing.map(({ name }) => name).join(', ')}`);
  const values = new Map(wanted.map((one) => [one.name, getArgumentOrDefaultAndAssertChoice(one, args)]));
  const lengths = splitAtPlaceholders(note.content).map(({ name = '', text }) => (values.get(name) ?? text).length);
  if (lengths.reduce((sum, length) => sum + length, 0) > promptLimits.filled)
    throw createInvalidError(`The prompt is longer than ${promptLimits.filled} characters`);
  const text = fillPlaceholders(note.content, values);
  return {
    description: truncateToOneLine(note.title, promptLimits.title),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

/** Returns the note of a prompt. It uses only the id in the name, as the title in it may be outdated. */
async function getPromptNote(store: McpStore, name: string): Promise<Note> {
  const unknown = new NoteError('not_found', `There is no prompt ${truncateToOneLine(name, promptLimits.title)}`);
  const id = tryParseId(name.slice(name.lastIndexOf('-') + 1));
  if (id === undefined) throw unknown;
  const note = await store.get(id).catch(rethrowUnlessNotFound);
  if (note === undefined || note.archived || note.category !== 'prompts') throw unknown;
  return note;
}

function toPromptListItem(note: Note): Prompt {
  return {
    name: createNoteSlugWithId(note),
    title: truncateToOneLine(note.title, promptLimits.title),
    description: truncateToOneLine(note.content, promptLimits.description),
    arguments: listArgumentPlaceholders(note).map(createArgumentForPlaceholder),
  };
}

/** Lists the placeholders that become arguments of a prompt. Those beyond the limits stay in the text. */
const listArgumentPlaceholders = ({ content }: Note) =>
  listDistinctPlaceholders(content)
    .filter(({ name }) => name.length <= promptLimits.argumentName)
    .slice(0, promptLimits.arguments);

function createArgumentForPlaceholder({ name, default: preset, choices }: Placeholder): PromptArgument {
  if (preset === undefined) return { name, required: true };
  const rule = choices === undefined ? '' : `One of: ${choices.join(', ')}. `;
  return {
    name,
    required: false,
    description: truncateToOneLine(`${rule}Default: ${preset}`, promptLimits.description),
  };
}

/** Returns the value of an argument, or its default. Throws `invalid` for a value that is not a choice. */
function getArgumentOrDefaultAndAssertChoice(placeholder: Placeholder, args: Readonly<Record<string, string>>): string {
  const { name, choices } = placeholder;
  const value = getValueOrDefault(placeholder, Object.hasOwn(args, name) ? args[name] : undefined) ?? '';
  if (choices?.includes(value) === false) throw createInvalidError(message.notOneOf(name, choices));
  return value;
}
