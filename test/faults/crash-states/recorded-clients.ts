import { join } from 'node:path';
import { createPortableClient } from '../../../src/client/portable.ts';
import { NoteError } from '../../../src/domain/error.ts';
import type { Note } from '../../../src/domain/note.ts';
import type { PortableStore } from '../../../src/domain/store.ts';
import { type Attempt, History } from '../../support/http/history.ts';
import { type Random, seeded } from '../../support/random.ts';
import { draft } from '../../support/service.ts';
import { type Contents, notesInImage } from './image-notes.ts';
import type { Recording } from './recording.ts';

export interface ClientOptions {
  readonly clients?: number;
  /** Lengths of contents to pick from. */
  readonly lengths?: readonly [number, ...number[]];
  /** Existing notes that no client writes to. */
  readonly others?: readonly Note[];
  /** The highest id assigned before. */
  readonly lastId?: number;
}

/** Writes sequentially, to notes of its own. */
interface Client {
  readonly name: string;
  readonly random: Random;
  readonly notes: Map<string, Note>;
  writes: number;
}

/** The state of a note after a request. */
interface Written {
  readonly attempt: Attempt;
  readonly before: string;
}

/** Clients that create, change, archive and merge notes; acknowledged writes become promises of the recording. */
export class RecordedClients {
  acknowledged = 0;
  refused = 0;
  /** The highest acknowledged id, including earlier clients. */
  highestId: number;
  readonly #recording: Recording;
  readonly #history = new History();
  readonly #merges: (readonly Written[])[] = [];
  readonly #clients: readonly Client[];
  readonly #lengths: readonly [number, ...number[]];
  readonly #others: readonly Note[];

  constructor(recording: Recording, random: Random, options: ClientOptions = {}) {
    const { clients = 8, lengths = [0, 100, 400, 3_000, 20_000], others = [], lastId = 0 } = options;
    this.#recording = recording;
    this.#lengths = lengths;
    this.#others = others;
    this.highestId = lastId;
    this.#clients = Array.from({ length: clients }, (_, index) => ({
      name: `${recording.promised.length}-client-${index}`,
      random: seeded(random.below(2 ** 32)),
      notes: new Map(),
      writes: 0,
    }));
    this.#promise();
  }

  /** Lets the clients write until this many writes are acknowledged, or the service has exited. */
  async write(url: string, writes: number): Promise<void> {
    const store = createPortableClient(url);
    const goal = this.acknowledged + this.refused + writes;
    const work = async (client: Client) => {
      while (this.acknowledged + this.refused < goal && (await this.#writeOnce(client, store)));
    };
    await Promise.all(this.#clients.map(work));
  }

  /** How notes contradict the responses before `asOf`, a `performance.now()`. */
  contradictions({ notes, versions, integrity }: Contents, asOf: number): string[] {
    const others = new Set(this.#others.map(({ id }) => id));
    const isKept = Bun.deepEquals(
      notes.filter(({ id }) => others.has(id)),
      this.#others,
    );
    const own = notes.filter(({ id }) => !others.has(id));
    return [
      ...(integrity === 'ok' ? [] : [integrity]),
      ...(isKept ? [] : ['notes that nobody wrote to are not as they were']),
      ...this.#history.contradictions(own, asOf, versions),
      ...this.#halves(own),
    ];
  }

  /** Promises that all acknowledged writes are in the database, and that no id is reused. */
  #promise(): void {
    const [asOf, highestId] = [performance.now(), this.highestId];
    this.#recording.promise('notes', async (folder) => {
      const contents = notesInImage(join(folder, 'notes.db'));
      const ids = contents.lastId < highestId ? [`id ${highestId} was answered, and will be given out again`] : [];
      return [...ids, ...this.contradictions(contents, asOf)];
    });
  }

  /** Resolves to false if the service has exited. */
  async #writeOnce(client: Client, store: PortableStore): Promise<boolean> {
    const { request, written } = this.#next(client, store);
    try {
      const notes = await request();
      for (const [index, note] of notes.entries()) {
        written[index]?.attempt.ok(note);
        client.notes.set(note.title, note);
      }
      this.highestId = Math.max(this.highestId, ...notes.map(({ id }) => id));
      this.acknowledged++;
      this.#promise();
      return true;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      const isUnchanged = error.outcome === 'none';
      for (const { attempt } of written) {
        attempt.outcome = isUnchanged ? 'failed' : 'unknown';
        if (!isUnchanged) client.notes.delete(attempt.title); // its next state cannot be predicted
      }
      this.refused++;
      return error.code !== 'unreachable';
    }
  }

  /** A request that returns the changed notes in the order of `written`. */
  #next(client: Client, store: PortableStore): { request: () => Promise<Note[]>; written: Written[] } {
    const { random, notes, name } = client;
    const content = `${++client.writes} ${'x'.repeat(random.pick(this.#lengths))}`;
    const note = [...notes.values()][random.below(notes.size)];
    const kind = random.below(10);
    if (note === undefined || kind < 3) {
      const title = `${name}-${client.writes}`;
      const created = async () => [await store.create(draft({ title, content }))];
      return { request: created, written: [this.#invoke(title, { content, archived: false }, '')] };
    }
    const { id, title, archived } = note;
    if (kind < 6) {
      const written = [this.#invoke(title, { content, archived }, note.content)];
      return { request: async () => [await store.update(id, { content })], written };
    }
    if (kind < 8) {
      const written = [this.#invoke(title, { content: note.content, archived: !archived }, note.content)];
      return { request: async () => [await store.setArchived(id, !archived)], written };
    }
    return this.#merge([...notes.values()].slice(-3), content, store);
  }

  #merge(notes: readonly Note[], content: string, store: PortableStore) {
    const later = (note: Note) => new Date(Date.parse(note.updatedAt) + 1).toISOString();
    const merged = notes.map((note) => ({ ...note, content, updatedAt: later(note) }));
    const written = notes.map((note) => this.#invoke(note.title, { content, archived: note.archived }, note.content));
    this.#merges.push(written);
    const request = async () => {
      const outcomes = await store.merge(merged);
      if (outcomes.some((outcome) => outcome !== 'replaced')) throw new Error(`Merged with ${outcomes}`);
      return merged;
    };
    return { request, written };
  }

  #invoke(title: string, state: { content: string; archived: boolean }, before: string): Written {
    return { attempt: this.#history.invoke(title, state), before };
  }

  /** Merges that are stored only in part. */
  #halves(notes: readonly Note[]): string[] {
    const byTitle = new Map(notes.map((note) => [note.title, note.content]));
    const halves = this.#merges.filter(
      (written) =>
        written.some(({ attempt }) => byTitle.get(attempt.title) === attempt.state.content) &&
        written.some(({ attempt, before }) => byTitle.get(attempt.title) === before),
    );
    return halves.map((written) => `${written.map(({ attempt }) => attempt.title)} were merged in part`);
  }
}
