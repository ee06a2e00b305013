/** What is measured: the calls of each scenario, and the bar that it has to reach. */
import * as z from 'zod/mini';
import type { NoteDraft } from '../../src/core/note.ts';
import { isInSmallList, smallListPath } from '../notes/corpus.ts';
import { createDice } from '../notes/dice.ts';

export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH']);
export type Method = z.infer<typeof Method>;

/** One request. The load generator sends the calls of a scenario in this order, over and over. */
export interface Call {
  readonly method: Method;
  readonly path: string;
  /** JSON on one line; empty for none. */
  readonly body: string;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly calls: readonly Call[];
  /** The minimal rate as a share of the raw server's; undefined if not compared with it. */
  readonly bar?: number;
  /** The target, shown next to the bar for information. */
  readonly aim?: number;
}

/** In the order in which they are measured. */
export interface Scenarios {
  /** Leave the store as it is. */
  readonly reads: readonly Scenario[];
  /** Add notes and change titles, and leave the list of W1 as long as it is. */
  readonly writes: readonly Scenario[];
  /** Empties that list. */
  readonly archives: readonly Scenario[];
}

const changes = 50_000; // about five per note, so that each update changes the title

/** Requires the drafts to be stored with ids from 1. */
export function createScenarios(drafts: readonly NoteDraft[]): Scenarios {
  const { small, whole, creates, updates, archives, mixed } = callsFor(drafts);
  return {
    reads: [
      { name: 'W1', title: 'list of 20 by three filters', connections: 64, calls: [small], bar: 0.8, aim: 0.9 },
      { name: 'W2', title: 'whole list of 10,000', connections: 4, calls: [whole], bar: 0.8 },
    ],
    writes: [
      { name: 'W3', title: 'create', connections: 64, calls: creates, bar: 0.3, aim: 0.5 },
      { name: 'W4', title: 'update of one title', connections: 64, calls: updates, bar: 0.25, aim: 0.45 },
      { name: 'W6', title: '90 % W1, 5 % W3, 5 % W4', connections: 64, calls: mixed },
    ],
    archives: [{ name: 'W5', title: 'archive', connections: 64, calls: archives, bar: 0.25, aim: 0.35 }],
  };
}

function callsFor(drafts: readonly NoteDraft[]) {
  const dice = createDice(1);
  const ids = Array.from({ length: changes }, () => dice.between(1, drafts.length));
  const small = get(smallListPath);
  const creates = drafts.filter((draft) => !isInSmallList(draft)).map(create);
  const updates = ids.map((id, n) => updateTitle(id, `${dice.pick(drafts).title} (${n})`));
  const twentieth = updates.slice(0, 500);
  return {
    small,
    whole: get('/api/notes'),
    creates,
    updates,
    archives: ids.map(archive),
    mixed: dice.shuffle([...Array(9_000).fill(small), ...creates.slice(0, 500), ...twentieth]),
  };
}

export const get = (path: string): Call => ({ method: 'GET', path, body: '' });

const create = (draft: NoteDraft): Call => ({ method: 'POST', path: '/api/notes', body: JSON.stringify(draft) });

export const updateTitle = (id: number, title: string): Call => ({
  method: 'PUT',
  path: `/api/notes/${id}`,
  body: JSON.stringify({ id, title }),
});

const archive = (id: number): Call => ({ method: 'PATCH', path: `/api/notes/${id}/archive`, body: '' });
