/** Another program holds the write lock of the database: reads continue, writes wait or are refused in time. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Note } from '../../src/domain/note.ts';
import { History } from '../support/http/history.ts';
import { scaled } from '../support/scale.ts';
import { draft, jsonBody, notesIn, startService, temporaryFolder } from '../support/service.ts';
import { maxP99, p99, probe } from './load/latency.ts';
import { startOtherProgram } from './other.ts';
import { report } from './report.ts';

const holdMs = scaled(10_000, 2_000);
/** A write waits for the lock for 5 s; the rest is latency. */
const deadlineMs = 5_500;
const writers = 16;
const uncommitted = `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  VALUES ('uncommitted', 'x', 'css', 'first', 'info', 1, 1)`;
const refusal = '500 none, try again after 1';

/** The outcome of a write, and its duration in ms. */
interface Written {
  readonly outcome: string;
  readonly ms: number;
}

/** Creates a note and records it in the history. */
async function write(url: string, history: History, title: string): Promise<Written> {
  const attempt = history.invoke(title, { content: title, archived: false });
  const started = performance.now();
  const answer = await fetch(url, jsonBody(draft({ title, content: title })));
  const ms = performance.now() - started;
  const body: unknown = await answer.json();
  const [outcome, seconds] = [answer.headers.get('notes-outcome'), answer.headers.get('retry-after')];
  if (answer.ok) attempt.ok(Note.parse(body));
  else attempt.outcome = outcome === 'none' ? 'failed' : 'unknown';
  return { outcome: answer.ok ? 'stored' : `${answer.status} ${outcome}, try again after ${seconds}`, ms };
}

async function writeUntil(isOver: () => boolean, url: string, history: History, name: string): Promise<Written[]> {
  const written: Written[] = [];
  while (!isOver()) written.push(await write(url, history, `${name}-${written.length}`));
  return written;
}

/** Runs readers of several lists and notes, and writers, until `release`. */
function watch(url: string, history: History) {
  let isOver = false;
  const read = async (path: string) => expect(await (await fetch(`${url}${path}`)).text()).not.toContain('uncommitted');
  const reading = ['', '?category=notes&archived=false', '?category=css', '/1', '/500'].map((path) =>
    probe({ ask: () => read(path), isOver: () => isOver, pauseMs: 1 }),
  );
  const writing = Array.from({ length: writers }, (_, n) => writeUntil(() => isOver, url, history, `writer-${n}`));
  return async (release: () => Promise<void>) => {
    isOver = true;
    await release();
    return { reads: (await Promise.all(reading)).flat(), writes: (await Promise.all(writing)).flat() };
  };
}

const writeMany = (count: number, url: string, history: History, name: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => write(url, history, `${name}-${n}`)));

const isStored = ({ outcome }: Written) => outcome === 'stored';

test(
  'while another program holds the write lock, reads go on and every write is answered by its deadline',
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
    await using other = startOtherProgram(path);
    const [url, history] = [`${service.url}/api/notes`, new History()];
    await writeMany(500, url, history, 'before');

    await other.run('BEGIN IMMEDIATE');
    await other.run(uncommitted);
    const until = watch(url, history);
    await Bun.sleep(holdMs);
    const { reads, writes } = await until(async () => void (await other.run('ROLLBACK')));
    const after = await writeMany(100, url, history, 'after');

    const refused = writes.filter((write) => !isStored(write));
    const slowest = Math.max(...writes.map(({ ms }) => ms));
    const figures = [
      `locked for ${holdMs / 1000} s: p99 of ${reads.length} reads ${p99(reads).toFixed(1)} ms`,
      `${writes.length} writes, ${refused.length} refused, the slowest after ${(slowest / 1000).toFixed(2)} s`,
      `then ${after.filter(isStored).length} of ${after.length} written`,
    ];
    report(9, figures.join(', '));
    expect(p99(reads)).toBeLessThanOrEqual(maxP99(50));
    expect(slowest).toBeLessThan(deadlineMs);
    expect(refused.filter(({ outcome }) => outcome !== refusal)).toEqual([]);
    if (holdMs < deadlineMs) expect(refused).toEqual([]);
    else expect(refused.length).toBeGreaterThanOrEqual(writers);
    expect(after.every(isStored)).toBe(true);
    expect(history.contradictions(await notesIn(fetch(url)))).toEqual([]);
  },
  holdMs + 20_000,
);
