/** Clients of one store that create, change, archive, merge and read notes, and mark what they send and are answered. */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../../src/core/note.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { seeded } from '../../support/random.ts';
import { draft } from '../../support/service.ts';
import { contentOf, type Mark, marksFile, type State, stateOf } from './marks.ts';

/** The argument of this program, as JSON. */
export interface Writing {
  readonly folder: string;
  /** Begins the titles of its notes. */
  readonly name: string;
  readonly seed: number;
  readonly writes: number;
  /** To pick the lengths of contents from. */
  readonly lengths: readonly [number, ...number[]];
  readonly maxVersions: number;
  /** It then closes the store, or is killed amid further writes. After a failed sync it is killed at once. */
  readonly end: 'close' | 'kill' | 'failed sync';
}

const clients = 8;

const { folder, name, seed, writes, lengths, maxVersions, end }: Writing = JSON.parse(process.argv[2] ?? '');
const marks = openSync(join(folder, marksFile), 'a');
let answered = 0;
const isOver = () => answered >= writes && end === 'close';
const kill = () => process.kill(process.pid, 'SIGKILL');

const mark = (kind: Mark['kind'], states: readonly State[]) =>
  writeSync(marks, JSON.stringify({ kind, states } satisfies Mark));

await using store = await openSqlite({ path: join(folder, 'notes.db'), maxVersions, onLost: kill });
mark('read', (await store.list()).map(stateOf));
const working = Array.from({ length: clients }, (_, index) => work(`${name}-${index}`, seed + index));
await Promise.all([...working, read()]);

async function work(own: string, seed: number): Promise<void> {
  const random = seeded(seed);
  const notes: Note[] = [];
  let version = 0;

  async function send(states: readonly State[], request: () => Promise<readonly Note[]>): Promise<void> {
    mark('sent', states);
    for (const note of await request()) {
      const index = notes.findIndex(({ id }) => id === note.id);
      notes[index === -1 ? notes.length : index] = note;
    }
    mark('answered', states);
    if (++answered === writes && end === 'kill') setTimeout(kill, random.below(5));
  }

  while (!isOver()) {
    const length = random.pick(lengths);
    const kind = random.below(10);
    const note = notes[random.below(notes.length)];
    version++;
    if (note === undefined || kind < 2) {
      const state = { title: `${own}-${version}`, version, archived: false };
      const content = contentOf(state, length);
      await send([state], async () => [await store.create(draft({ title: state.title, content }))]);
    } else if (kind < 6) {
      const state = { ...stateOf(note), version };
      await send([state], async () => [await store.update(note.id, { content: contentOf(state, length) })]);
    } else if (kind < 8) {
      const state = { ...stateOf(note), archived: !note.archived };
      await send([state], async () => [await store.setArchived(note.id, state.archived)]);
    } else {
      const states = notes.slice(-3).map((one) => ({ ...stateOf(one), version }));
      const merged = notes.slice(-3).map((one) => {
        const updatedAt = new Date(Date.parse(one.updatedAt) + 1).toISOString();
        return { ...one, content: contentOf({ ...stateOf(one), version }, length), updatedAt };
      });
      await send(states, () => store.merge(merged).then(() => merged));
    }
  }
}

/** What a list showed must not be lost, either. */
async function read(): Promise<void> {
  while (!isOver()) {
    mark('read', (await store.list({ archived: false })).map(stateOf));
    await Bun.sleep(20);
  }
}
