/** The requests of each load, and the check of their answers. */
import * as z from 'zod/mini';
import { categories, colors, groups, type NoteDraft } from '../../src/core/note.ts';
import { seeded } from '../../test/support/random.ts';
import { smallListIds, smallListPath } from './notes.ts';
import type { Program, Request } from './programs.ts';

export interface Load {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** Sent in this order, over and over. */
  readonly requests: readonly Request[];
  /** What is sent meanwhile: `perSecond` requests whether or not they are answered, else by 64 clients that wait. */
  readonly meanwhile?: { readonly requests: readonly Request[]; readonly perSecond?: number };
}

const get = (path: string): Request => ({ method: 'GET', path, body: '' });

const create = (draft: NoteDraft): Request => ({ method: 'POST', path: '/api/notes', body: JSON.stringify(draft) });

export const updateTitle = (id: number, title: string): Request => ({
  method: 'PUT',
  path: `/api/notes/${id}`,
  body: JSON.stringify({ id, title }),
});

const archive = (id: number): Request => ({ method: 'PATCH', path: `/api/notes/${id}/archive`, body: '' });

const isInSmallList = ({ category, group }: NoteDraft) => category === 'notes' && group === 'third';

/** In an order that keeps the list of W2 whole and that of W1 filled. The drafts are stored with ids from 1. */
export function makeLoads(drafts: readonly NoteDraft[]) {
  const random = seeded(1);
  const changed = Array.from({ length: 5 * drafts.length }, () => 1 + random.below(drafts.length));
  const lists = [get(smallListPath)];
  const whole = [get('/api/notes')];
  const creates = drafts.filter((draft) => !isInSmallList(draft)).map(create);
  const updates = changed.map((id, n) => updateTitle(id, `${drafts[id - 1]?.title} (${n})`));
  const mixed = Array.from({ length: 500 }, (_, n) => [
    ...Array.from({ length: 18 }, () => lists),
    creates.slice(n, n + 1),
    updates.slice(n, n + 1),
  ]).flat(2);
  const loadOf = (name: string, title: string, requests: readonly Request[], connections = 64): Load => ({
    name,
    title,
    connections,
    requests,
  });
  return {
    W1: loadOf('W1', 'list of 20 by three filters', lists),
    W2: loadOf('W2', `whole list of ${drafts.length} notes`, whole, 4),
    W2updates: {
      ...loadOf('W2 beside updates', 'the same beside 1,000 updates a second', whole, 4),
      meanwhile: { requests: updates, perSecond: 1_000 },
    },
    W6: loadOf('W6', '90 % W1, 5 % W3, 5 % W4', mixed),
    W1creates: { ...loadOf('W1 beside W3', 'list of 20 beside creates', lists), meanwhile: { requests: creates } },
    W3many: loadOf('W3 on 512', 'create, on 512 connections', creates, 512),
    W3: loadOf('W3', 'create', creates),
    W4: loadOf('W4', 'update of one title', updates),
    W4hot: loadOf(
      'W4 of one note',
      'update of the same note by all',
      updates.map(({ body }) => updateTitle(1, JSON.parse(body).title)),
    ),
    W5: loadOf('W5', 'archive', changed.map(archive)),
  } as const satisfies Record<string, Load>;
}

/** The list is kept ready-made; after each of these updates it has to be made again. */
export const listBesideOwnUpdates = (): Load => ({
  name: 'W1, changed',
  title: 'list of 20, every second request changes one of them',
  connections: 64,
  requests: smallListIds.flatMap((id) => [updateTitle(id, `A title of note ${id}`), get(smallListPath)]),
});

/** Sends one request as the program wants it. Throws, with what was answered, unless it succeeds. */
export async function send({ rewrite }: Program, url: string, request: Request): Promise<string> {
  const { method, path, body, headers } = rewrite(request);
  const response = await fetch(url + path, {
    method,
    headers: { 'Accept-Encoding': 'identity', ...headers, ...(body !== '' && { 'Content-Type': 'application/json' }) },
    ...(body !== '' && { body }),
  });
  const text = await response.text();
  if (response.status === 200 || response.status === 201) return text;
  throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
}

const Listed = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  category: z.enum(categories),
  group: z.enum(groups),
  color: z.enum(colors),
  archived: z.boolean(),
});

/**
 * Sends the first request of each method to every instance. Throws unless each answer is right: lists of the expected
 * length, notes with the content that was stored. Returns the bytes of the last answer.
 */
export async function checkAnswers(program: Program, load: Load, drafts: readonly NoteDraft[]): Promise<number> {
  const firsts = new Map(load.requests.toReversed().map((request) => [request.method, request]));
  let bytes = 0;
  for (const url of program.urls) {
    for (const request of firsts.values()) {
      const text = await send(program, url, request);
      const fault = faultIn(request, JSON.parse(text), drafts);
      if (fault !== '') throw new Error(`${request.method} ${request.path} was answered with ${fault}`);
      bytes = Buffer.byteLength(text);
    }
  }
  return bytes;
}

function faultIn({ method, path, body }: Request, answer: unknown, drafts: readonly NoteDraft[]): string {
  if (method === 'GET') {
    const expected = path === smallListPath ? smallListIds.length : drafts.length;
    const { length } = z.array(Listed).parse(answer);
    return length === expected ? '' : `${length} notes instead of ${expected}`;
  }
  const note = Listed.parse(answer);
  const id = Number(path.split('/')[3]);
  const stored = method === 'POST' ? JSON.parse(body) : drafts[id - 1];
  if (note.content !== stored?.content || note.category !== stored?.category) return 'another note than was stored';
  if (method === 'PATCH') return note.archived ? '' : 'a note that is not archived';
  return note.title === JSON.parse(body).title ? '' : 'another title than was written';
}

const atOnce = 64;

/** Stores the drafts in an empty program. Throws unless every instance lists them with ids from 1. */
export async function fill(program: Program, drafts: readonly NoteDraft[]): Promise<void> {
  for (let from = 0; from < drafts.length; from += atOnce) {
    const requests = drafts.slice(from, from + atOnce).map(create);
    await Promise.all(requests.map((request) => send(program, program.urls[0] ?? '', request)));
  }
  for (const url of program.urls) {
    const notes = z.array(Listed).parse(JSON.parse(await send(program, url, get('/api/notes'))));
    const isWhole = notes.length === drafts.length && notes.every(({ id }, index) => id === index + 1);
    if (!isWhole) throw new Error(`${program.name} lists ${notes.length} notes instead of ${drafts.length}`);
  }
}
