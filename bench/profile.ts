/**
 * Where the processor time of a request goes: `bun bench/profile.ts [--seconds 5]` loads the service under Bun's profiler
 * with lists, creates and updates (W1, W3, W4), and prints the time of each part in µs for each request.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { NoteDraft } from '../src/core/note.ts';
import { createDiskFolder, describeMachine, readThreadCpuSeconds } from './tools/machine.ts';
import { createDrafts, createStoreWithNotes } from './tools/notes.ts';
import { readOptionsOrExit } from './tools/options.ts';
import { describeWorkingTree, startServerAndWaitForUrl } from './tools/programs.ts';
import { createLoads, type Load } from './tools/requests.ts';
import { formatDecimal, formatMarkdownTable } from './tools/table.ts';
import { runWrk, writeWrkRequests } from './tools/wrk.ts';

const root = join(import.meta.dir, '..');
const warmUpSeconds = 2;
/** In µs. Samples are further apart when the machine is busy. */
const sampleIntervalUs = 250;

/** The format of the Chrome DevTools Protocol. Times are in µs; `startTime` is since 1970. */
const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.optional(z.array(z.int())),
    }),
  ),
  startTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
type Profile = z.infer<typeof Profile>;
type Frame = Profile['nodes'][number]['callFrame'];

/** The parts of the program's own code, by the paths of its files. The first one that matches counts. */
const partsByPath: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/(hono|zod)/, 'routing and validation by libraries (Hono, Zod)'],
  [/src\/service\/http\/(app|middleware|metrics|request|compression|write-record)/, 'HTTP: paths, headers, metrics'],
  [/src\/service/, 'HTTP: routes'],
  [/src\/core/, 'validation and JSON by our own code'],
  [/src\/store\/sqlite/, 'store: SQLite storage'],
  [/src\/store/, 'store: lists, commits, changes'],
];

/** The parts of functions that are built into Bun. */
const partsByBuiltIn: readonly (readonly [RegExp, string])[] = [
  [/^(run|all|get|values|iterateNext|#run|serialize)$/, 'SQLite statements'],
  [/^(stringify|parse)$/, 'JSON.stringify and JSON.parse'],
  [/^(Response|Headers|Blob|encode|Request)$/, 'responses'],
];

const { seconds } = readOptionsOrExit();
const folder = createDiskFolder();
const drafts = createDrafts(10_000);
const { W1, W3, W4 } = createLoads(drafts);
const database = join(folder, 'notes.db');
await createStoreWithNotes(database, drafts.length, getDraftOrThrow);

console.log(`${await describeWorkingTree()}, ${describeMachine()}`);
for (const load of [W1, W3, W4]) console.log(`\n${await profileLoad(load)}`);
process.exit(0);

function getDraftOrThrow(index: number): NoteDraft {
  const draft = drafts[index];
  if (draft === undefined) throw new Error(`There is no draft ${index}`);
  return draft;
}

/** Runs a load on a service that is profiled. Returns a table of its parts. */
async function profileLoad(load: Load): Promise<string> {
  const profiles = join(folder, load.name);
  const options = ['--cpu-prof', `--cpu-prof-interval=${sampleIntervalUs}`, `--cpu-prof-dir=${profiles}`];
  const command = [process.execPath, ...options, 'src/main.ts', 'serve'];
  const env = { PORT: '0', DATABASE_URL: `sqlite:${database}` };
  const { url, pid, child } = await startServerAndWaitForUrl(command, { folder: root, env });
  const requests = join(folder, `${load.name}.requests`);
  await writeWrkRequests(requests, load.requests);
  const sending = { url, requests, connections: load.connections };
  await runWrk({ ...sending, seconds: warmUpSeconds });

  const [beganAt, before] = [Date.now(), readThreadCpuSeconds(pid)];
  const result = await runWrk({ ...sending, seconds });
  const [endedAt, after] = [Date.now(), readThreadCpuSeconds(pid)];
  child.kill('SIGTERM');
  await child.exited;

  const [file = ''] = readdirSync(profiles);
  const profile = Profile.parse(await Bun.file(join(profiles, file)).json());
  const perRequest = (seconds: number) => (seconds * 1e6) / result.requests;
  const parts = measureParts(profile, beganAt, endedAt);
  const inScript = [...parts.values()].reduce((sum, part) => sum + part, 0);
  parts.set('event loop, sockets, HTTP parser of Bun', after.main - before.main - inScript);
  parts.set('other threads: syncs, garbage collection, compilation', after.others - before.others);
  const rows = [...parts].sort(([, one], [, other]) => other - one);
  const rate = formatDecimal(result.requests / result.seconds);
  return formatMarkdownTable([
    [`${load.name}, ${load.title}: ${rate} requests/s`, 'µs of a request'],
    ...rows.map(([part, used]) => [part, formatDecimal(perRequest(used), 1)]),
  ]);
}

/** Returns the seconds in which each part was running between two times in ms since 1970. */
function measureParts(profile: Profile, beganAt: number, endedAt: number): Map<string, number> {
  const partsByNode = findPartOfEachNode(profile);
  const parts = new Map<string, number>();
  const secondsOfSample = findUsualDelta(profile.timeDeltas) / 1e6;
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    at += profile.timeDeltas[index] ?? 0;
    if (at < beganAt * 1e3 || at > endedAt * 1e3) continue;
    const part = partsByNode.get(id) ?? 'other';
    parts.set(part, (parts.get(part) ?? 0) + secondsOfSample);
  }
  return parts;
}

/** The time from one sample to the next, in µs, while a script runs: there are none while the event loop waits. */
function findUsualDelta(deltas: readonly number[]): number {
  const sorted = deltas.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 4)] ?? Number.NaN;
}

/** A built-in function that is in no list counts to its caller. */
function findPartOfEachNode({ nodes }: Profile): Map<number, string> {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (id: number, partOfCaller: string) => {
    const node = nodesById.get(id);
    if (node === undefined) return;
    const part = findPartOfFrame(node.callFrame) ?? partOfCaller;
    parts.set(id, part);
    for (const child of node.children ?? []) visit(child, part);
  };
  visit(nodes[0]?.id ?? 0, 'other');
  return parts;
}

function findPartOfFrame({ functionName, url }: Frame): string | undefined {
  const [text, table] = url === '' ? [functionName, partsByBuiltIn] : [url, partsByPath];
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
