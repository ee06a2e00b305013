/** The requests of each load, and the check of their responses. */
import * as z from 'zod/mini';
import { categories, colors, groups, type NoteDraft } from '../../src/core/note.ts';
import { createSeededRandom } from '../../test/support/random.ts';
import { smallListIds, smallListPath } from './notes.ts';
import type { LoadRequest, Program } from './programs.ts';

export interface Load {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** These are sent in this order, over and over. */
  readonly requests: readonly LoadRequest[];
  /** These are sent meanwhile: `perSecond` of them without waiting for responses, or by 64 clients that wait. */
  readonly meanwhile?: { readonly requests: readonly LoadRequest[]; readonly perSecond?: number };
}

const createGetRequest = (path: string): LoadRequest => ({ method: 'GET', path, body: '' });

const createCreateRequest = (draft: NoteDraft): LoadRequest => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify(draft),
});

export const createTitleUpdateRequest = (id: number, title: string): LoadRequest => ({
  method: 'PUT',
  path: `/api/notes/${id}`,
  body: JSON.stringify({ id, title }),
});

const createArchiveRequest = (id: number): LoadRequest => ({
  method: 'PATCH',
  path: `/api/notes/${id}/archive`,
  body: '',
});

const isInSmallList = ({ category, group }: NoteDraft) => category === 'notes' && group === 'third';

/**
 * The order of the loads leaves all notes in the list of W2, and 20 in that of W1. The drafts are stored with ids from
 * 1.
 */
export function createLoads(drafts: readonly NoteDraft[]) {
  const random = createSeededRandom(1);
  const changed = Array.from({ length: 5 * drafts.length }, () => 1 + random.below(drafts.length));
  const lists = [createGetRequest(smallListPath)];
  const whole = [createGetRequest('/api/notes')];
  const creates = drafts.filter((draft) => !isInSmallList(draft)).map(createCreateRequest);
  const updates = changed.map((id, n) => createTitleUpdateRequest(id, `${drafts[id - 1]?.title} (${n})`));
  const mixed = Array.from({ length: 500 }, (_, n) => [
    ...Array.from({ length: 18 }, () => lists),
    creates.slice(n, n + 1),
    updates.slice(n, n + 1),
  ]).flat(2);
  const createLoad = (name: string, title: string, requests: readonly LoadRequest[], connections = 64): Load => ({
    name,
    title,
    connections,
    requests,
  });
  return {
    W1: createLoad('W1', 'list of 20 by three filters', lists),
    W2: createLoad('W2', `whole list of ${drafts.length} notes`, whole, 4),
    W2updates: {
      ...createLoad('W2 beside updates', 'the same beside 1,000 updates a second', whole, 4),
      meanwhile: { requests: updates, perSecond: 1_000 },
    },
    W6: createLoad('W6', '90 % W1, 5 % W3, 5 % W4', mixed),
    W1creates: { ...createLoad('W1 beside W3', 'list of 20 beside creates', lists), meanwhile: { requests: creates } },
    W3many: createLoad('W3 on 512', 'create, on 512 connections', creates, 512),
    W3: createLoad('W3', 'create', creates),
    W4: createLoad('W4', 'update of one title', updates),
    W4hot: createLoad(
      'W4 of one note',
      'update of the same note by all',
      updates.map(({ body }) => createTitleUpdateRequest(1, JSON.parse(body).title)),
    ),
    W5: createLoad('W5', 'archive', changed.map(createArchiveRequest)),
  } as const satisfies Record<string, Load>;
}

/** The list is kept ready-made; after each of these updates it has to be made again. */
export const createLoadOfListBesideUpdates = (): Load => ({
  name: 'W1, changed',
  title: 'list of 20, every second request changes one of them',
  connections: 64,
  requests: smallListIds.flatMap((id) => [
    createTitleUpdateRequest(id, `A title of note ${id}`),
    createGetRequest(smallListPath),
  ]),
});

/** Sends one request as the program wants it. Throws, with the text of the response, unless it succeeds. */
export async function sendAndReadTextOrThrow({ rewrite }: Program, url: string, request: LoadRequest): Promise<string> {
  const { method, path, body, headers } = rewrite(request);
  const response = await fetch(url + path, {
    method,
    headers: { 'Accept-Encoding': 'identity', ...headers, ...(body !== '' && { 'Content-Type': 'application/json' }) },
    ...(body !== '' && { body }),
  });
  const text = await response.text();
  if (response.status === 200 || response.status === 201) return text;
  throw new Error(`${method} ${path} got ${response.status}: ${text}`);
}

const Listed = z.object({
  id: z.union([z.int(), z.string()]), // peers have both
  title: z.string(),
  content: z.string(),
  category: z.enum(categories),
  group: z.enum(groups),
  color: z.enum(colors),
  archived: z.boolean(),
});

/**
 * Sends the first request of each method to every instance. Throws unless each response is right: lists of the expected
 * length, notes with the content that was stored. Returns the length of the last response in bytes.
 */
export async function sendFirstRequestsAndCountListBytes(
  program: Program,
  load: Load,
  drafts: readonly NoteDraft[],
): Promise<number> {
  const firsts = new Map(load.requests.toReversed().map((request) => [request.method, request]));
  let bytes = 0;
  for (const url of program.urls) {
    for (const request of firsts.values()) {
      const text = await sendAndReadTextOrThrow(program, url, request);
      const fault = findFaultInResponse(request, (program.parseResponse ?? JSON.parse)(text), drafts);
      if (fault !== '') throw new Error(`${request.method} ${request.path} got ${fault}`);
      bytes = Buffer.byteLength(text);
    }
  }
  return bytes;
}

function findFaultInResponse(request: LoadRequest, body: unknown, drafts: readonly NoteDraft[]): string {
  const { method, path } = request;
  if (method === 'GET') {
    const expected = path === smallListPath ? smallListIds.length : drafts.length;
    const { length } = z.array(Listed).parse(body);
    return length === expected ? '' : `${length} notes instead of ${expected}`;
  }
  const note = Listed.parse(body);
  const id = Number(path.split('/')[3]);
  const stored = method === 'POST' ? JSON.parse(request.body) : drafts[id - 1];
  if (note.content !== stored?.content || note.category !== stored?.category) return 'another note than was stored';
  if (method === 'PATCH') return note.archived ? '' : 'a note that is not archived';
  return note.title === JSON.parse(request.body).title ? '' : 'another title than was written';
}

const maxConcurrentRequests = 64;

/** Sends requests to the first instance, 64 at once. Throws unless all succeed. */
export async function sendAllOrThrow(program: Program, requests: readonly LoadRequest[]): Promise<void> {
  for (let from = 0; from < requests.length; from += maxConcurrentRequests) {
    const some = requests.slice(from, from + maxConcurrentRequests);
    await Promise.all(some.map((request) => sendAndReadTextOrThrow(program, program.urls[0] ?? '', request)));
  }
}

/** Stores the drafts in an empty program. Throws unless every instance lists them with ids from 1. */
export async function storeDraftsInEmptyProgram(program: Program, drafts: readonly NoteDraft[]): Promise<void> {
  await sendAllOrThrow(program, drafts.map(createCreateRequest));
  for (const url of program.urls) {
    const notes = z
      .array(Listed)
      .parse(JSON.parse(await sendAndReadTextOrThrow(program, url, createGetRequest('/api/notes'))));
    const isWhole = notes.length === drafts.length && notes.every(({ id }, index) => id === index + 1);
    if (!isWhole) throw new Error(`${program.name} lists ${notes.length} notes instead of ${drafts.length}`);
  }
}
