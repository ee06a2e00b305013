/** A stream of events may be cut at any byte: a client that reconnects with its last id misses nothing. */
import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { EventSourceParser, type SentEvent } from '../../../test/support/http/event-source.ts';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note } from '../../core/note.ts';
import { createNoteChange } from '../../store/note-change.ts';
import { ChangeLog } from '../../store/sqlite/sqlite-change-log.ts';
import { StorageChangeFeed } from '../../store/storage-change-feed.ts';
import { EventHub } from './event-hub.ts';

type Titles = ReadonlyMap<number, string>;

/** Writes of the service or of another program, or a restart of the service. */
interface Step {
  readonly kind: 'write' | 'foreign' | 'restart';
  readonly ids: readonly number[];
  /** Whether the client hears of it before the next step. */
  readonly isHeard: boolean;
}

/** More listeners than are served in a turn of the event loop; they read everything. */
const crowd = 40;

/** Bytes as they arrived, and the list at that moment. */
interface Received {
  readonly bytes: Uint8Array;
  readonly listed: Titles;
}

const noPins = { readPins: async () => ({ ids: [], revision: 'none' }) };

/** What a service has in memory since its start. */
function startService() {
  const log = new ChangeLog();
  const feed = new StorageChangeFeed({
    readChangeCursor: () => log.cursor,
    readChangesAndCursorSince: (since) => log.getChangesSince(since),
    waitForPossibleChanges: (since) => log.waitForPossibleChanges(since),
  });
  return { log, hub: new EventHub(feed, noPins, { tickMs: 1, heartbeatMs: 1 }) };
}

/** The service: its notes, and what its restarts replace. */
class World {
  readonly titles = new Map<number, string>();
  #service = startService();
  #writes = 0;

  do({ kind, ids }: Step): void {
    const notes = [...new Set(ids)].map((id) => createPortableNote(id, { title: `${this.#writes++}` }));
    if (kind !== 'restart') for (const { id, title } of notes) this.titles.set(id, title);
    const { log, hub } = this.#service;
    if (kind === 'write') log.appendChanges(notes.map((note) => createNoteChange(note, 'unknown')));
    else if (kind === 'foreign') log.invalidateAllCursors();
    else {
      hub.close();
      this.#service = startService();
    }
  }

  get hub(): EventHub {
    return this.#service.hub;
  }

  get cursor(): string {
    return this.#service.log.cursor;
  }
}

/** A client that has read the list, and follows the events after it. */
class Client {
  readonly titles: Map<number, string>;
  readonly source: EventSourceParser;
  events = 0;

  constructor(titles: Titles, cursor: string) {
    this.titles = new Map(titles);
    this.source = new EventSourceParser(cursor);
  }

  /** The pieces of a stream after the last id. */
  async *connect({ hub, titles }: World): AsyncGenerator<Received, void, void> {
    this.source.resetForNextStream();
    for await (const bytes of await hub.openEventStream(this.source.lastEventId || undefined))
      yield { bytes, listed: new Map(titles) };
  }

  take({ bytes, listed }: Received): void {
    for (const event of this.source.parseBytes(bytes)) this.#apply(event, listed);
  }

  #apply({ type, data }: SentEvent, listed: Titles): void {
    this.events++;
    if (type === 'reset') {
      this.titles.clear();
      for (const [id, title] of listed) this.titles.set(id, title);
    } else {
      const { id, title } = JSON.parse(data) as Note;
      this.titles.set(id, title);
    }
  }
}

/** Runs the steps while a client follows; returns the pieces of each of its streams. */
async function follow(world: World, steps: readonly Step[], client: Client): Promise<Received[][]> {
  const streams: Received[][] = [];
  const connect = async () => {
    const pieces: Received[] = [];
    streams.push(pieces);
    for await (const received of client.connect(world)) {
      pieces.push(received);
      client.take(received);
    }
  };
  const isHeard = async () => {
    const isCurrent = () => client.source.lastEventId === world.cursor;
    while (streams.at(-1)?.length === 0 || !isCurrent()) await setImmediate();
  };
  let stream = connect();
  for (const step of steps) {
    if (step.kind === 'restart') await isHeard();
    world.do(step);
    if (step.kind === 'restart') {
      await stream;
      for (let n = 0; n < crowd; n++) void drain(await world.hub.openEventStream(undefined));
      stream = connect();
    }
    if (step.isHeard) await isHeard();
  }
  await isHeard();
  return streams;
}

async function drain(stream: ReadableStream): Promise<void> {
  for await (const _ of stream);
}

/** What the client has once it has reconnected after a cut of its streams; or after another cut, of that stream. */
async function* cutAtEveryByte(
  world: World,
  streams: readonly Received[][],
  client: Client,
  cuts: number,
): AsyncGenerator<Titles, void, void> {
  let last = '';
  for (const pieces of streams) {
    client.source.resetForNextStream();
    for (const { bytes, listed } of pieces) {
      for (let at = 0; at < bytes.length; at++) {
        const state = `${client.events} ${client.source.lastEventId}`;
        if (state !== last) {
          const again = new Client(client.titles, client.source.lastEventId);
          const stream = await reconnect(world, again);
          yield again.titles;
          const { titles, source } = client;
          if (cuts > 1) yield* cutAtEveryByte(world, [stream], new Client(titles, source.lastEventId), cuts - 1);
        }
        last = state; // while it stays, the client would do the same again
        client.take({ bytes: bytes.subarray(at, at + 1), listed });
      }
    }
  }
}

async function reconnect(world: World, client: Client): Promise<Received[]> {
  const pieces: Received[] = [];
  for await (const received of client.connect(world)) {
    pieces.push(received);
    client.take(received);
    if (client.source.lastEventId === world.cursor) break;
  }
  return pieces;
}

const step = fc.record({
  kind: fc.constantFrom<Step['kind'][]>('write', 'write', 'write', 'foreign', 'restart'),
  ids: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  isHeard: fc.boolean(),
});

test('a client whose streams are cut at any byte reconnects with its last id and has every newest note', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const world = new World();
      const begin = (cursor: string) => new Client(new Map(), cursor);
      const cursor = world.cursor;
      const streams = await follow(world, steps, begin(cursor));

      for await (const titles of cutAtEveryByte(world, streams, begin(cursor), 2)) expect(titles).toEqual(world.titles);
      world.hub.close();
    }),
    { numRuns: 100 },
  );
});
