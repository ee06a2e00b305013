/**
 * Clients of one store that create, change, archive, merge and read notes, and mark what they send and are answered.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../../src/core/note.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { createSeededRandom } from '../../support/random.ts';
import { createDraft } from '../../support/sample-notes.ts';
import { readLogRestartCount } from '../../support/stores/log-restarts.ts';
import { createContent, type Mark, marksFile, parseState, type State } from './marks.ts';

/** The argument of this program, as JSON. */
export interface Writing {
  readonly folder: string;
  /** Begins the titles of its notes. */
  readonly name: string;
  readonly seed: number;
  /** At least. */
  readonly writes: number;
  /** How often the log is restarted, at least: the worker gets to it at some time after it is long enough. */
  readonly restarts: number;
  /** To pick the lengths of contents from. */
  readonly lengths: readonly [number, ...number[]];
  readonly maxVersions: number;
  /** It then closes the store, or is killed amid further writes. After a failed sync it is killed at once. */
  readonly end: 'close' | 'kill' | 'failed sync';
}

const clients = 8;

const { folder, name, seed, writes, restarts, lengths, maxVersions, end }: Writing = JSON.parse(process.argv[2] ?? '');
const marks = openSync(join(folder, marksFile), 'a');
let answered = 0;
const database = join(folder, 'notes.db');
const hasWrittenEnough = () =>
  answered >= writes && end === 'close' && (restarts === 0 || readLogRestartCount(database) >= restarts);
const killSelf = () => process.kill(process.pid, 'SIGKILL');

const writeMark = (kind: Mark['kind'], states: readonly State[]) =>
  writeSync(marks, JSON.stringify({ kind, states } satisfies Mark));

await using store = await openSqlite({ path: database, maxVersions, onLost: killSelf });
writeMark('read', (await store.list()).map(parseState));
const working = Array.from({ length: clients }, (_, index) => writeAndMarkUntilOver(`${name}-${index}`, seed + index));
await Promise.all([...working, markListsUntilOver()]);

async function writeAndMarkUntilOver(own: string, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const notes: Note[] = [];
  let version = 0;

  async function send(states: readonly State[], request: () => Promise<readonly Note[]>): Promise<void> {
    writeMark('sent', states);
    for (const note of await request()) {
      const index = notes.findIndex(({ id }) => id === note.id);
      notes[index === -1 ? notes.length : index] = note;
    }
    writeMark('answered', states);
    if (++answered === writes && end === 'kill') setTimeout(killSelf, random.below(5));
  }

  while (!hasWrittenEnough()) {
    const length = random.pick(lengths);
    const kind = random.below(10);
    const note = notes[random.below(notes.length)];
    version++;
    if (note === undefined || kind < 2) {
      const state = { title: `${own}-${version}`, version, archived: false };
      const content = createContent(state, length);
      await send([state], async () => [await store.create(createDraft({ title: state.title, content }))]);
    } else if (kind < 6) {
      const state = { ...parseState(note), version };
      await send([state], async () => [await store.update(note.id, { content: createContent(state, length) })]);
    } else if (kind < 8) {
      const state = { ...parseState(note), archived: !note.archived };
      await send([state], async () => [await store.setArchived(note.id, state.archived)]);
    } else {
      const states = notes.slice(-3).map((one) => ({ ...parseState(one), version }));
      const merged = notes.slice(-3).map((one) => {
        const updatedAt = new Date(Date.parse(one.updatedAt) + 1).toISOString();
        return { ...one, content: createContent({ ...parseState(one), version }, length), updatedAt };
      });
      await send(states, () => store.merge(merged).then(() => merged));
    }
  }
}

/** What a list showed must not be lost, either. */
async function markListsUntilOver(): Promise<void> {
  while (!hasWrittenEnough()) {
    writeMark('read', (await store.list({ archived: false })).map(parseState));
    await Bun.sleep(20);
  }
}
