/** What the tools and prompts share: what they work on, what they find, what they withhold, and how they answer. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Code, invalid, NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import type { SearchRequest } from '../../core/parse.ts';
import type { PortableStore } from '../../core/store.ts';
import { secretsInNote } from '../../core/tools/secrets.ts';
import { versionAt } from '../../core/versions.ts';
import { findBestNotes } from '../search/best-notes.ts';
import { createExcerpts, type Excerpt } from '../search/found-json.ts';
import type { SearchQueue } from '../search/search-queue.ts';

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

/** Excerpts of the best notes, as many as fit. */
interface FoundNotes {
  readonly notes: readonly Excerpt[];
  readonly total: number;
  readonly truncated: boolean;
}

type Searched = Pick<McpStore, 'scan' | 'search'>;

export type FindNotes = (store: Searched, wanted: SearchRequest, signal?: AbortSignal) => Promise<FoundNotes>;

/** Searches on another thread. */
export function findOnThread(searches: Pick<SearchQueue, 'search'>): FindNotes {
  return async (_store, wanted, signal) => {
    const { json, count, total } = await searches.search({ ...wanted, excerptCharacters: maxCharacters }, signal);
    return { notes: JSON.parse(new TextDecoder().decode(json)), total, truncated: count < total };
  };
}

/** Uses the store's own search, or reads the notes. */
export const findInStore: FindNotes = async (store, wanted) => {
  const { query, filter, limit } = wanted;
  const found =
    (await store.search?.(query, { ...filter, limit })) ?? (await findBestNotes(store.scan(filter), wanted));
  const notes = createExcerpts(found.notes, query, maxCharacters);
  return { notes, total: found.total, truncated: notes.length < found.total };
};

/** The refusal of a note that seems to contain a secret: no other arguments help. */
class Withheld extends NoteError {
  constructor({ id }: Note, kinds: readonly string[]) {
    super(
      'invalid',
      `Note ${id} is left out, as it seems to hold ${kinds.join(' and ')}. ` +
        'The user can allow such notes: see --allow-secrets of notes mcp, and MCP_SECRETS of notes serve',
    );
  }
}

/** Withholds notes that seem to contain secrets from models, unless allowed. */
export class Secrets {
  readonly #allows: boolean;

  constructor(allows: boolean) {
    this.#allows = allows;
  }

  withholds(note: Note): boolean {
    return !this.#allows && secretsInNote(note).length > 0;
  }

  /** Returns the note. Throws `Withheld`. */
  permitted(note: Note): Note {
    if (this.withholds(note)) throw new Withheld(note, secretsInNote(note));
    return note;
  }

  /** Removes withheld notes and counts them. */
  async partOf<Found extends { readonly id: number }>(
    found: readonly Found[],
    read: (id: number) => Promise<Note>,
  ): Promise<{ readonly notes: readonly Found[]; readonly withheld?: number }> {
    if (this.#allows) return { notes: found };
    const notes: Found[] = [];
    for (const one of found) if (!this.withholds(await read(one.id))) notes.push(one);
    return { notes, ...(notes.length < found.length && { withheld: found.length - notes.length }) };
  }
}
