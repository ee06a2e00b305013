/**
 * What it costs to keep versions: `bun bench/history.ts [--seconds 2] [--rounds 5] [--size]`. The service with its
 * history and without, in turns; with `--size` also how large the file becomes. Exits with 1 when a bar is missed.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqlite } from '../src/store/sqlite/open.ts';
import { fill } from './loads/fill.ts';
import { chooseGenerator } from './loads/load.ts';
import { createScenarios } from './loads/scenarios.ts';
import { inTurns } from './loads/turns.ts';
import { createDiskFolder } from './machine/machine.ts';
import { startServiceOn } from './machine/processes.ts';
import { makeDrafts } from './notes/corpus.ts';
import { median } from './output/figure.ts';
import { table } from './output/table.ts';
import { rateOf, tapeOf, warmUpSeconds, writeTapes } from './service/measure.ts';

/** The minimum rate of each load, as a share of its rate without a history. */
const bars = { W3: 0.97, W4: 0.8, W5: 0.97 } as const;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    size: { type: 'boolean', default: false },
  },
});
using folder = createDiskFolder();
const rates = await measureRates();
const sizes = values.size ? await measureSizes() : [];
process.exitCode = rates && sizes.every(Boolean) ? 0 : 1;

/** Prints the rates; whether all bars are met. */
async function measureRates(): Promise<boolean> {
  const host = { signal: new AbortController().signal };
  const generator = chooseGenerator({ ...host });
  const drafts = makeDrafts(10_000);
  const scenarios = createScenarios(drafts);
  await writeTapes(folder.path, scenarios);
  await using servers = new AsyncDisposableStack();
  const subjects = [];
  for (const versions of [100, 0]) {
    const address = `sqlite:${join(folder.path, `${versions}.db`)}`;
    const server = servers.use(await startServiceOn(host, address, { HISTORY_VERSIONS: String(versions) }));
    await fill(server.url, drafts);
    subjects.push({ versions, server });
  }
  const rows: string[][] = [];
  let isMet = true;
  for (const [name, bar] of Object.entries(bars)) {
    const run = (url: string, seconds: number) =>
      generator.run({ url, tape: tapeOf(folder.path, name), connections: 64, seconds });
    await Promise.all(subjects.map(({ server }) => run(server.url, warmUpSeconds)));
    const turns = await inTurns(subjects, Number(values.rounds), async ({ server }) =>
      rateOf(await run(server.url, Number(values.seconds))),
    );
    const [kept = [], none = []] = turns.map(({ results }) => results);
    const ratio = median(kept.map((rate, round) => rate / (none[round] ?? Number.NaN)));
    isMet &&= ratio >= bar;
    const whole = (rate: number) => Math.round(rate).toLocaleString('en');
    rows.push([
      name,
      whole(median(kept)),
      whole(median(none)),
      ratio.toFixed(2),
      String(bar),
      ratio < bar ? 'NO' : 'yes',
    ]);
  }
  console.log(table([['Load', 'with 100 versions', 'without', 'Ratio', 'Bar', 'Met'], ...rows]));
  return isMet;
}

/** Prints how the file grows while all notes are changed again and again; whether it stops at the 100th version. */
async function measureSizes(): Promise<boolean[]> {
  const path = join(folder.path, 'size.db');
  const drafts = makeDrafts(10_000);
  await using store = await openSqlite({ path });
  for (let from = 0; from < drafts.length; from += 1_000) {
    await Promise.all(drafts.slice(from, from + 1_000).map((draft) => store.create(draft)));
  }
  const megabytes: number[] = [];
  for (let round = 1; round <= 120; round++) {
    for (let from = 1; from <= drafts.length; from += 500) {
      const ids = Array.from({ length: 500 }, (_, n) => from + n);
      await Promise.all(ids.map((id) => store.update(id, { title: `Round ${round}` })));
    }
    if (round % 20 === 0) megabytes.push(statSync(path).size / 2 ** 20);
  }
  const bytes = drafts.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const texts = (100 * bytes) / 2 ** 20;
  const [atEnd = 0, before = 0] = megabytes.toReversed();
  console.log(
    `File after 20, 40, … 120 changes of each of 10,000 notes, in MB: ${megabytes.map(Math.round).join(', ')}`,
  );
  console.log(
    `100 versions of each are ${texts.toFixed(0)} MB of text. ` +
      `The last 200,000 changes: x ${(atEnd / before).toFixed(2)}`,
  );
  return [atEnd / before <= 1.02];
}
