/**
 * Another program commits to the database: all responses of the service show it, cached or not, and also to
 * conditional requests.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { categories, colors, groups, type Note } from '../../src/core/note.ts';
import { type Random, seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { jsonBody, noteIn, startService, temporaryFolder } from '../support/service.ts';
import { type OtherProgram, startOtherProgram } from './other.ts';
import { report } from './report.ts';

const programs = scaled(20, 5);
const commitsOfEach = scaled(50, 20);
const commits = programs * commitsOfEach;

/** The maximal delay until a commit of another program is visible, in ms. */
const noticeMs = 10;

/** All stored notes by id. */
type Stored = Map<number, Note>;

const random = seeded(seed);
const randomFields = ({ pick, below }: Random) => ({
  title: `Title ${below(1e9)}`,
  content: `Content ${below(1e9)}`,
  category: pick(categories),
  group: pick(groups),
  color: pick(colors),
});

/** Inserts or changes one row by the other program, possibly during a write of the service. */
async function commitElsewhere(other: OtherProgram, stored: Stored, id: number): Promise<void> {
  const before = stored.get(id);
  const ms = before === undefined ? Date.now() : Date.parse(before.updatedAt) + 1;
  const at = new Date(ms).toISOString();
  const { title, content, category, group, color } = randomFields(random);
  const archived = random.below(2) === 1;
  await other.run(`INSERT INTO notes (id, title, content, category, "group", color, archived, created_at, updated_at)
    VALUES (${id}, '${title}', '${content}', '${category}', '${group}', '${color}', ${archived}, ${ms}, ${ms})
    ON CONFLICT DO UPDATE SET (title, content, category, "group", color, archived, updated_at) =
    (excluded.title, excluded.content, excluded.category, excluded."group", excluded.color, excluded.archived, ${ms})`);
  const createdAt = before?.createdAt ?? at;
  stored.set(id, { id, title, content, category, group, color, archived, createdAt, updatedAt: at });
}

async function commitHere(url: string, stored: Stored, id: number): Promise<void> {
  const change = { id, ...randomFields(random) };
  stored.set(id, await noteIn(fetch(`${url}/${id}`, jsonBody(change, 'PUT'))));
}

/** A client that caches responses and revalidates them. */
class CachingClient {
  readonly #url: string;
  /** The number of 304 responses. */
  confirmed = 0;
  readonly #kept = new Map<string, { readonly tag: string; readonly text: string }>();

  constructor(url: string) {
    this.#url = url;
  }

  /** The current content of a path, from the cache if revalidated. */
  async show(path: string): Promise<unknown> {
    const kept = this.#kept.get(path);
    const answer = await fetch(`${this.#url}${path}`, { headers: kept ? { 'If-None-Match': kept.tag } : {} });
    if (answer.status === 304 && kept) {
      this.confirmed++;
      return JSON.parse(kept.text);
    }
    const text = await answer.text();
    this.#kept.set(path, { tag: answer.headers.get('etag') ?? '', text });
    return JSON.parse(text);
  }
}

const filters: readonly ((note: Note) => Partial<Note>)[] = [
  () => ({}),
  ({ archived }) => ({ archived }),
  ({ category }) => ({ category }),
  ({ category, group, archived }) => ({ category, group, archived }),
];

/** The paths of the lists that contain a note and of the note itself, with the expected content. */
function viewsOf(note: Note, stored: Stored): [path: string, expected: unknown][] {
  const all = [...stored.values()].toSorted((a, b) => a.id - b.id);
  const lists = filters.map((filterOf): [string, unknown] => {
    const filter = Object.entries(filterOf(note));
    const query = filter.map(([name, value]) => `${name}=${value}`).join('&');
    const facts = (one: Note): Record<string, unknown> => one;
    return [
      query === '' ? '' : `?${query}`,
      all.filter((one) => filter.every(([name, value]) => facts(one)[name] === value)),
    ];
  });
  return [...lists, [`/${note.id}`, note]];
}

/** A service, the notes that it must return, and a client. */
interface Setting {
  readonly url: string;
  readonly stored: Stored;
  readonly client: CachingClient;
}

/** Commits once by the other program, often during a write of ours. Returns the paths whose content may change. */
async function commitOnce(other: OtherProgram, { url, stored }: Setting): Promise<Map<string, unknown>> {
  const id = 1 + random.below(stored.size + 1);
  const before = stored.get(id);
  const another = 1 + random.below(stored.size);
  const isBusyHere = another !== id && stored.has(another) && random.below(3) === 0;
  await Promise.all([commitElsewhere(other, stored, id), isBusyHere && commitHere(url, stored, another)]);
  if (random.below(20) === 0) await other.run('PRAGMA wal_checkpoint(TRUNCATE)');
  await Bun.sleep(noticeMs);
  const changed = [before, stored.get(id)].filter((note) => note !== undefined);
  return new Map(changed.flatMap((note) => viewsOf(note, stored)));
}

/** The changed paths whose content was stale after commits. */
async function staleAfter(path: string, count: number, setting: Setting): Promise<{ reads: number; stale: string[] }> {
  await using other = startOtherProgram(path);
  const stale: string[] = [];
  let reads = 0;
  for (let commit = 0; commit < count; commit++) {
    for (const [view, expected] of await commitOnce(other, setting)) {
      reads++;
      if (!Bun.deepEquals(await setting.client.show(view), expected)) stale.push(view);
    }
    await setting.client.show('');
  }
  return { reads, stale };
}

test(`no answer is stale after other programs have committed`, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const url = `${service.url}/api/notes`;
  const setting: Setting = { url, stored: new Map(), client: new CachingClient(url) };
  await staleAfter(path, 200, setting);
  setting.client.confirmed = 0;
  let reads = 0;
  const stale: string[] = [];

  for (let program = 0; program < programs; program++) {
    const result = await staleAfter(path, commitsOfEach, setting);
    reads += result.reads;
    stale.push(...result.stale);
  }

  const { confirmed } = setting.client;
  report(10, `${commits} commits by ${programs} other programs, ${reads} reads after them, ${stale.length} stale`);
  expect(stale).toEqual([]);
  expect(confirmed).toBeGreaterThanOrEqual(commits); // by the extra request after each, and for unchanged lists
}, 120_000);
