/** The connection to PostgreSQL breaks around a commit, so that the service cannot know whether it took effect. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { runStatements } from '../support/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { type Relayed, startRelay, type Tap } from '../support/relay.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { reportFigures } from './report.ts';

const rounds = pickByScale(50, 5);

/** ReadyForQuery outside of a transaction, sent by PostgreSQL after the commit. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** The titles of the notes that a message creates. */
const findTitles = (text: string) => [...text.matchAll(/"title":"(client-\d+-\d+)"/g)].map(([, title = '']) => title);

/**
 * Breaks connections around creates: `before` they reach the server, or `after` it has stored them and before its
 * response arrives.
 */
class Cutter implements Tap {
  #sent = '';
  #armed: 'before' | 'after' | undefined;
  #doomed: Relayed | undefined;
  #titles: readonly string[] = [];
  #done = Promise.withResolvers<readonly string[]>();

  /** Resolves to the titles of the next creates. `before` cuts the connection, `after` holds back its response. */
  next(when: 'before' | 'after'): Promise<readonly string[]> {
    this.#armed = when;
    this.#done = Promise.withResolvers();
    return this.#done.promise;
  }

  /** Breaks the connection whose response is held back. */
  cut(): void {
    this.#doomed?.cut();
    this.#doomed = undefined;
  }

  /** The number of times that the service sent a note with this title. */
  timesSent(title: string): number {
    return this.#sent.split(`"title":"${title}"`).length - 1;
  }

  toServer(bytes: Buffer, relayed: Relayed): boolean {
    const text = bytes.toString('latin1');
    this.#sent += text;
    const titles = findTitles(text);
    if (this.#armed === undefined || titles.length === 0) return true;
    this.#titles = titles;
    const isBefore = this.#armed === 'before';
    this.#armed = undefined;
    this.#doomed = relayed;
    if (!isBefore) return true;
    this.cut();
    this.#done.resolve(titles);
    return false;
  }

  toClient(bytes: Buffer, relayed: Relayed): boolean {
    if (relayed !== this.#doomed) return true;
    if (bytes.includes(ready)) this.#done.resolve(this.#titles);
    return false;
  }
}

/** The number of notes with these titles that another session sees. */
async function countStoredTitles(titles: readonly string[], server: PostgresServer): Promise<number> {
  const list = titles.map((title) => `'${title}'`).join(', ');
  const [row] = await runStatements<{ count: string }>(
    server.url(),
    `SELECT count(*) FROM notes WHERE title IN (${list})`,
  );
  return Number(row?.count);
}

test.each([
  ['before the server learns of a write', 'before'],
  ['after the commit of a write', 'after'],
] as const)(
  `${rounds} times cut off %s, the service neither acknowledges it nor tries it again`,
  async (name, when) => {
    await using server = await startPostgres();
    const cutter = new Cutter();
    using relay = await startRelay(() => server.port, cutter);
    const url = server.url().replace(`:${server.port}/`, `:${relay.port}/`);
    await using service = await startService({ DATABASE_URL: url });
    const load = new WriteLoad(createSeededRandom(seed), 'unknown', { creates: 10, lengths: [0, 100] });
    const cutOff: string[] = [];

    await load.writeDuring(async () => {
      for (let round = 0; round < rounds; round++) {
        await load.waitForAcknowledgedCount(load.acknowledged + 100);
        const titles = await cutter.next(when);
        expect(await countStoredTitles(titles, server)).toBe(when === 'after' ? titles.length : 0);
        cutter.cut();
        cutOff.push(...titles);
      }
      await load.waitForAcknowledgedCount(load.acknowledged + 100);
    }, service);

    await load.assertListAndAdoptIt(service);
    expect(await countStoredTitles(cutOff, server)).toBe(when === 'after' ? cutOff.length : 0);
    expect(cutOff.filter((title) => cutter.timesSent(title) !== 1)).toEqual([]);
    expect(load.answers.get(500)).toBe(cutOff.length);
    expect(load.refusals).toEqual(new Set(['unknown']));
    reportFigures(
      21,
      `${name}: ${rounds} rounds, ${cutOff.length} writes cut off and answered 500, ` +
        `${when === 'after' ? 'each there once' : 'none there'}; ` +
        `${load.acknowledged} acknowledged, 0 lost, 0 twice`,
    );
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
