import { expect } from 'bun:test';
import * as z from 'zod/mini';
import { Note } from '../../../src/core/note.ts';
import { createSeededRandom, type Random } from '../random.ts';
import { createDraft } from '../sample-notes.ts';
import type { Service } from '../service.ts';
import { type State, type Versions, type WriteAttempt, WriteHistory } from './history.ts';
import { type Connection, type MissingResponse, openConnection, type RawResponse } from './raw-http-connection.ts';

/** Why a client ended: the service closed the connection, the test was over, or a request got no response. */
export type Ending = 'closing' | 'over' | MissingResponse;

/** The address of a service, or of a relay in front of it. */
export type Target = Pick<Service, 'url' | 'port'>;

export interface LoadOptions {
  readonly clients?: number;
  /** Creates per ten writes. */
  readonly creates?: number;
  /** Lengths of contents to pick from. */
  readonly lengths?: readonly [number, ...number[]];
  /** Whether a client reconnects after its connection is closed; by default it ends. */
  readonly returns?: boolean;
}

type Mix = Required<Pick<LoadOptions, 'creates' | 'lengths'>>;

/** Writes sequentially, to notes of its own. */
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

/** Concurrent writing clients, each on its own connection, and the history of what they saw. */
export class WriteLoad {
  /** The number of acknowledged writes, and the time of the last one by `performance.now()`. */
  acknowledged = 0;
  acknowledgedAt = 0;
  /** The longest response time, in ms. */
  longestMs = 0;
  /** The number of writes without a response. */
  unanswered = 0;
  /** The number of responses by status. */
  readonly answers = new Map<number, number>();
  /** The `Notes-Outcome` headers of responses other than 200. */
  readonly refusals = new Set<string | undefined>();
  readonly #history = new WriteHistory();
  readonly #random: Random;
  readonly #clients: readonly Client[];
  readonly #unanswered: 'failed' | 'unknown';
  readonly #mix: Mix;
  readonly #returns: boolean;
  #goal = { acknowledged: Number.POSITIVE_INFINITY, reached: () => {} };

  /** `unanswered`: the outcome of a write without a response. */
  constructor(random: Random, unanswered: 'failed' | 'unknown', options: LoadOptions = {}) {
    const { clients = 64, creates = 5, lengths = [0, 0, 100, 100, 400, 400, 3_000, 20_000], returns = false } = options;
    this.#random = random;
    this.#unanswered = unanswered;
    this.#mix = { creates, lengths };
    this.#returns = returns;
    this.#clients = Array.from({ length: clients }, (_, index) => ({
      name: `client-${index}`,
      random: createSeededRandom(random.below(2 ** 32)),
      notes: new Map(),
      writes: 0,
    }));
  }

  /** Lets the clients write, calls `strike` after `min` to `2 * min` acknowledgements, waits for their end. */
  writeUntilStrike(strike: () => void, service: Target, min = 500): Promise<Ending[]> {
    const goal = this.acknowledged + min + this.#random.below(min);
    const striking = async () => {
      await this.waitForAcknowledgedCount(goal);
      await Bun.sleep(this.#random.below(8)); // responses come in bursts: do not always strike after one
      strike();
      await new Promise<never>(() => {});
    };
    return this.writeDuring(striking, service);
  }

  /** Lets the clients write until `work` is done or none is connected. Returns how each ended. */
  async writeDuring(work: () => Promise<unknown>, { port }: Target): Promise<Ending[]> {
    const connections = await Promise.all(this.#clients.map((client) => connectClient(client, port)));
    let isOver = false;
    const write = async ({ client, connection }: Connected): Promise<Ending> => {
      const ending = await this.#write({ client, connection }, () => isOver);
      return isOver || !this.#returns ? ending : write(await connectClient(client, port));
    };
    const endings = Promise.all(connections.map(write));
    await Promise.race([work(), endings]).finally(() => {
      isOver = true;
    });
    return endings;
  }

  /** Resolves when this many writes are acknowledged in total. One call at a time. */
  waitForAcknowledgedCount(acknowledged: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#goal = { acknowledged, reached: resolve };
    return promise;
  }

  /** How the list contradicts the history; a copy started at `asOf` may lack later acknowledged writes. */
  async readListAndFindContradictions(service: Target, asOf?: number): Promise<string[]> {
    return this.#history.listContradictions(await fetchNotes(service), asOf);
  }

  /** Checks the list against the history, and takes it as the known state. */
  async assertListAndAdoptIt(service: Target, versions?: Versions): Promise<void> {
    const listed = await fetchNotes(service);
    expect(this.#history.listContradictions(listed, undefined, versions).slice(0, 10)).toEqual([]);
    this.#history.adoptListAsKnownState(listed, versions);
    for (const client of this.#clients) client.notes.clear();
    for (const note of listed) this.#clients[Number(/\d+/.exec(note.title))]?.notes.set(note.title, note);
  }

  async #write({ connection, client }: Connected, isOver: () => boolean): Promise<Ending> {
    using _ = connection;
    while (!isOver()) {
      const { title, state, bytes } = createNextWrite(client, this.#mix);
      const attempt = this.#history.recordWriteBegin(title, state);
      const sent = performance.now();
      connection.send(bytes);
      const answer = await connection.receiveResponse();
      if (typeof answer === 'string') {
        this.unanswered++;
        attempt.outcome = this.#unanswered;
        client.notes.delete(title); // its next state cannot be predicted
        return answer;
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - sent);
      this.#recordAnswer(answer, attempt, client);
      if (answer.headers.get('connection') === 'close') return 'closing';
    }
    return 'over';
  }

  #recordAnswer({ status, headers, body }: RawResponse, attempt: WriteAttempt, { notes }: Client): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    if (status !== 200) {
      const outcome = headers.get('notes-outcome');
      this.refusals.add(outcome);
      attempt.outcome = outcome === 'none' ? 'failed' : 'unknown';
      if (attempt.outcome === 'unknown') notes.delete(attempt.title); // its next state cannot be predicted
      return;
    }
    const note = Note.parse(JSON.parse(body));
    attempt.recordSuccess(note);
    notes.set(note.title, note);
    this.acknowledgedAt = performance.now();
    if (++this.acknowledged === this.#goal.acknowledged) this.#goal.reached();
  }
}

const fetchNotes = async ({ url }: Target) => Notes.parse(await (await fetch(`${url}/api/notes`)).json());

interface Connected {
  readonly client: Client;
  readonly connection: Connection;
}

const connectClient = async (client: Client, port: number) => ({ client, connection: await openConnection(port) });

/** Every write leaves a unique state. */
function createNextWrite(client: Client, { creates, lengths }: Mix): Write {
  const { name, random, notes } = client;
  const content = `${++client.writes} ${'x'.repeat(random.pick(lengths))}`;
  const note = random.below(10) < creates ? undefined : [...notes.values()][random.below(notes.size)];
  if (note === undefined) {
    const title = `${name}-${client.writes}`;
    return {
      title,
      state: { content, archived: false },
      bytes: encodeRequestBytes('POST', '', createDraft({ title, content })),
    };
  }
  const { id, title, archived } = note;
  if (random.below(5) < 3) {
    return { title, state: { content, archived }, bytes: encodeRequestBytes('PUT', `/${id}`, { id, content }) };
  }
  const path = archived ? `/${id}/unarchive` : `/${id}/archive`;
  return { title, state: { content: note.content, archived: !archived }, bytes: encodeRequestBytes('PATCH', path) };
}

function encodeRequestBytes(method: string, path: string, body?: object): string {
  const head = `${method} /api/notes${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const json = JSON.stringify(body);
  return `${head}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}
