/** The service is killed while clients create, change and merge notes; merged ones replace what was created. */
import { expect, test } from 'bun:test';
import { createPortableClient } from '../../src/client/portable.ts';
import type { Note } from '../../src/domain/note.ts';
import { originsIn } from '../../src/formats/origin.ts';
import { scaled } from '../support/scale.ts';
import { draft, type Service, startService } from '../support/service.ts';
import { integrityOf, temporaryDatabase } from './database.ts';
import { report } from './report.ts';

const rounds = scaled(10, 2);
const mergesBeforeBlow = scaled(40, 15);

const taken = `${'0'.repeat(32)} ${'0'.repeat(32)} notes first info`;

type Client = ReturnType<typeof createPortableClient>;

/** The last acknowledged state of each note, and the states sent since. */
class Ledger {
  readonly known = new Map<number, Note>();
  readonly pending = new Map<number, Note>();
  merges = 0;

  /** Creates ten notes, replaces five of them by later versions, and changes the others. */
  async work(client: Client): Promise<void> {
    const created = await Promise.all(Array.from({ length: 10 }, () => client.create(draft())));
    for (const note of created) this.known.set(note.id, note);
    const replaced = created.slice(0, 5).map((note) => ({
      ...note,
      title: 'Merged',
      updatedAt: new Date(Date.parse(note.updatedAt) + 1).toISOString(),
    }));
    for (const note of replaced) this.pending.set(note.id, note);
    const [outcomes] = await Promise.all([
      client.merge(replaced.map((note) => ({ ...note, origin: { key: `test:${note.id}`, taken } }))),
      ...created.slice(5).map(async ({ id }) => this.known.set(id, await client.update(id, { title: 'Changed' }))),
    ]);
    expect(outcomes).toEqual(replaced.map(() => 'replaced'));
    for (const note of replaced) {
      this.known.set(note.id, note);
      this.pending.delete(note.id);
    }
    this.merges++;
  }

  /** The notes that equal neither their acknowledged state nor one sent since. */
  contradictions(listed: readonly Note[]): unknown[] {
    const byId = new Map(listed.map((note) => [note.id, note]));
    return [...this.known].filter(([id, note]) => {
      const found = byId.get(id);
      const isSent = Bun.deepEquals(found, this.pending.get(id)) || found?.title === 'Changed';
      return !Bun.deepEquals(found, note) && !isSent;
    });
  }
}

async function killAmidMerges(service: Service, ledger: Ledger): Promise<void> {
  const client = createPortableClient(service.url);
  const goal = ledger.merges + mergesBeforeBlow;
  const workers = Array.from({ length: 4 }, async () => {
    for (;;) {
      await ledger.work(client);
      if (ledger.merges >= goal) service.process.kill('SIGKILL');
    }
  });
  await Promise.allSettled(workers);
  await service.process.exited;
}

test(`${rounds} times killed amid merges, the service starts again and has all that it acknowledged`, async () => {
  using database = temporaryDatabase();
  const ledger = new Ledger();

  for (let round = 0; round < rounds; round++) {
    await using service = await startService(database.settings);
    await killAmidMerges(service, ledger);

    await using restarted = await startService(database.settings);
    const listed = await createPortableClient(restarted.url).list();
    expect(ledger.contradictions(listed)).toEqual([]);
    const origins = (await Array.fromAsync(originsIn(createPortableClient(restarted.url)))).flat();
    const merged = listed.filter(({ title }) => title === 'Merged'); // each with its origin, or neither
    expect(origins.map(({ id }) => id)).toEqual(merged.map(({ id }) => id));
    expect(integrityOf(database.path)).toBe('ok');
    for (const note of listed) ledger.known.set(note.id, note); // an unanswered merge may have been stored
    ledger.pending.clear();
  }

  report(26, `${rounds} rounds, ${ledger.merges} merges and ${ledger.known.size} notes acknowledged, 0 lost`);
}, 120_000);
