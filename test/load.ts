import { expect } from 'bun:test';
import * as z from 'zod/mini';
import { Note } from '../src/domain/note.ts';
import { History, type State } from './history.ts';
import { type Random, seeded } from './random.ts';
import { type Connection, connect, type NoAnswer } from './raw.ts';
import { draft, type Service } from './service.ts';

/** How it ended for a client: it was told that the connection ends, or its last request was not answered. */
export type Ending = 'told' | NoAnswer;

/** Who writes one thing after the other, to notes that nobody else writes to. */
interface Client {
  readonly name: string;
  readonly random: Random;
  readonly notes: Map<string, Note>;
  writes: number;
}

interface Write {
  readonly title: string;
  readonly state: State;
  readonly bytes: string;
}

const Notes = z.array(Note);

/** Clients that write at once, each on a connection of its own, and the history of what they saw. */
export class Load {
  /** How many writes were answered with their note. */
  acknowledged = 0;
  readonly #history = new History();
  readonly #random: Random;
  readonly #clients: readonly Client[];
  readonly #unanswered: 'failed' | 'unknown';

  /** `unanswered` is what a write without an answer counts as. */
  constructor(random: Random, unanswered: 'failed' | 'unknown', clients = 64) {
    this.#random = random;
    this.#unanswered = unanswered;
    this.#clients = Array.from({ length: clients }, (_, index) => ({
      name: `client-${index}`,
      random: seeded(random.below(2 ** 32)),
      notes: new Map(),
      writes: 0,
    }));
  }

  /** Lets the clients write, strikes after some hundreds or thousands of answers, and waits until all have ended. */
  async until(strike: () => void, service: Service): Promise<Ending[]> {
    const connections = await Promise.all(this.#clients.map((client) => connected(client, service.port)));
    const enough = Promise.withResolvers<void>();
    const goal = this.acknowledged + 200 + this.#random.below(2_000);
    const answered = () => {
      if (++this.acknowledged === goal) enough.resolve();
    };
    const endings = Promise.all(connections.map((connection) => this.#write(connection, answered)));
    await Promise.race([enough.promise, endings]);
    await Bun.sleep(this.#random.below(8)); // answers come in bursts: not always strike behind one
    strike();
    return endings;
  }

  /** Checks the list against the history, and takes it as the state from which the next writes start. */
  async verify(service: Service): Promise<void> {
    const listed = Notes.parse(await (await fetch(`${service.url}/api/notes`)).json());
    expect(this.#history.contradictions(listed)).toEqual([]);
    this.#history.settle(listed);
    for (const client of this.#clients) client.notes.clear();
    for (const note of listed) this.#clients[Number(/\d+/.exec(note.title))]?.notes.set(note.title, note);
  }

  async #write({ connection, client }: Connected, answered: () => void): Promise<Ending> {
    using _ = connection;
    for (;;) {
      const { title, state, bytes } = nextWrite(client);
      const attempt = this.#history.invoke(title, state);
      connection.send(bytes);
      const answer = await connection.answer();
      if (typeof answer === 'string') {
        attempt.outcome = this.#unanswered;
        return answer;
      }
      const note = Note.parse(JSON.parse(answer.body));
      attempt.ok(note);
      client.notes.set(title, note);
      answered();
      if (answer.headers.get('connection') === 'close') return 'told';
    }
  }
}

interface Connected {
  readonly client: Client;
  readonly connection: Connection;
}

const connected = async (client: Client, port: number) => ({ client, connection: await connect(port) });

/** One of two is a create; every write leaves a state that no other write leaves. */
function nextWrite(client: Client): Write {
  const { name, random, notes } = client;
  const content = `${++client.writes} ${'x'.repeat(random.pick([0, 100, 3_000, 20_000]))}`;
  const note = [...notes.values()][random.below(notes.size)];
  const dice = random.below(10);
  if (note === undefined || dice < 5) {
    const title = `${name}-${client.writes}`;
    return { title, state: { content, archived: false }, bytes: bytesOf('POST', '', draft({ title, content })) };
  }
  const { id, title, archived } = note;
  if (dice < 8) return { title, state: { content, archived }, bytes: bytesOf('PUT', `/${id}`, { id, content }) };
  const path = archived ? `/${id}/unarchive` : `/${id}/archive`;
  return { title, state: { content: note.content, archived: !archived }, bytes: bytesOf('PATCH', path) };
}

function bytesOf(method: string, path: string, body?: object): string {
  const head = `${method} /api/notes${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const json = JSON.stringify(body);
  return `${head}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}
