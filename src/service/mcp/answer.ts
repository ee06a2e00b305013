import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Code, invalid, NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import { versionAt } from '../../core/versions.ts';
import { Withheld } from './secrets.ts';

/** The operations available over MCP. */
export type McpStore = Pick<
  PortableStore,
  'create' | 'get' | 'update' | 'setArchived' | 'history' | 'scan' | 'search' | 'labels'
>;

/** Runs work on the open store. */
export type UseStore = <Result>(work: (store: McpStore) => Promise<Result>) => Promise<Result>;

/** Throws `invalid` if the history has no such version. */
export async function listedVersion(store: Pick<McpStore, 'history'>, id: number, version: string): Promise<Note> {
  const note = await versionAt(store, id, version);
  if (note === undefined) throw invalid(`Note with ID ${id} has no such version in its history`);
  return note;
}

/** Limit of an answer, in characters of JSON: leaves a model room for the rest of its context. */
export const maxCharacters = 60_000;

/** Reports errors that an operator should see. */
type Report = (error: unknown) => void;

/** The result of a tool. */
export type Facts = Record<string, unknown>;

/** The next step for a model, by error. */
const nextStep = {
  invalid: 'Correct the arguments and call the tool again.',
  not_found: 'Use search to find the ids of notes.',
  conflict: 'Nothing was changed. Read the note again with get, then update it with its new updatedAt.',
  busy: 'Nothing was changed. Call it again in a moment.',
  unavailable: 'Use get or search to see what is stored before you write again.',
  unreachable:
    'Ask the user to start the notes service. It is unknown whether a write was stored: check before you repeat it.',
  internal: 'Ask the user to check the log.',
} as const satisfies Record<Code, string>;

const isForeseen = (error: NoteError) => ['invalid', 'not_found', 'conflict'].includes(error.code);

/** What a request works on. */
export interface Answering {
  readonly use: UseStore;
  readonly report: Report;
}

/** Returns facts as an object and as JSON, for clients without structured content; errors with the next step. */
export async function answer(
  { use, report }: Answering,
  work: (store: McpStore) => Promise<Facts>,
): Promise<CallToolResult> {
  try {
    const facts = await use(work);
    return { structuredContent: facts, content: [{ type: 'text', text: JSON.stringify(facts) }] };
  } catch (error) {
    const refusal = shown(error, report);
    const next = refusal instanceof Withheld ? '' : ` ${nextStep[refusal.code]}`;
    return { isError: true, content: [{ type: 'text', text: `${refusal.message}.${next}` }] };
  }
}

/** Like `answer`, for requests other than tools: throws errors of the protocol. */
export async function answerOrRefuse<Result>(
  { use, report }: Answering,
  work: (store: McpStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(work);
  } catch (error) {
    const refusal = shown(error, report);
    const code = isForeseen(refusal) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, refusal.message);
  }
}

/** Returns the error to show; reports unexpected ones. */
function shown(error: unknown, report: Report): NoteError {
  const isOurs = error instanceof NoteError && error.code !== 'internal';
  if (!isOurs || !isForeseen(error)) report(error);
  return isOurs ? error : new NoteError('internal', message.unexpected, { cause: error });
}
