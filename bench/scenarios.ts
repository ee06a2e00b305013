/** What is measured: the calls of each scenario, and the bar that it has to reach. */
import type { NoteDraft } from '../src/domain/note.ts';
import { isInSmallList, smallListPath } from './corpus.ts';
import { createDice } from './dice.ts';

/** One request. The load generator sends the calls of a scenario in this order, over and over. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** JSON on one line; empty for none. */
  readonly body: string;
}

/** A least rate: requests per second, and as a share of the raw server's. One of them is enough. */
export interface Bar {
  readonly perSecond?: number;
  readonly ratio?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly calls: readonly Call[];
  /** None: the figure is for information. */
  readonly bar?: Bar;
}

const changes = 50_000; // each note about five times, so that an update finds another title than it brings

/**
 * In the order in which they are measured: reads before writes, and the mixed load before the notes of its list are
 * archived. The drafts are stored already, under the ids from 1.
 */
export function createScenarios(drafts: readonly NoteDraft[]): readonly Scenario[] {
  const calls = callsFor(drafts);
  const { small, whole, creates, updates, archives, mixed } = calls;
  return [
    { name: 'W1', title: 'list of 20 by three filters', connections: 64, calls: [small], bar: { ratio: 0.15 } },
    { name: 'W2', title: 'whole list of 10,000', connections: 4, calls: [whole], bar: { perSecond: 40 } },
    { name: 'W3', title: 'create', connections: 64, calls: creates, bar: { perSecond: 25_000, ratio: 0.35 } },
    { name: 'W4', title: 'update of one title', connections: 64, calls: updates, bar: { ratio: 0.3 } },
    { name: 'W6', title: '90 % W1, 5 % W3, 5 % W4', connections: 64, calls: mixed },
    { name: 'W5', title: 'archive', connections: 64, calls: archives, bar: { ratio: 0.3 } },
  ];
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

const get = (path: string): Call => ({ method: 'GET', path, body: '' });

const create = (draft: NoteDraft): Call => ({ method: 'POST', path: '/api/notes', body: JSON.stringify(draft) });

const updateTitle = (id: number, title: string): Call => ({
  method: 'PUT',
  path: `/api/notes/${id}`,
  body: JSON.stringify({ id, title }),
});

const archive = (id: number): Call => ({ method: 'PATCH', path: `/api/notes/${id}/archive`, body: '' });
