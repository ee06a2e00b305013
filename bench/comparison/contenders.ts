/** The services of a comparison: of today and of an earlier commit, on the disk as it is and on slow ones. */
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { send } from '../loads/answers.ts';
import { fill } from '../loads/fill.ts';
import { updateTitle } from '../loads/scenarios.ts';
import { type Server, start } from '../machine/processes.ts';
import type { Bench } from '../service/measure.ts';
import type { Checkout } from './checkout.ts';
import { type SlowSync, slowSyncEnvironment } from './slow-sync.ts';

export type Version = 'now' | 'before';

/** The added duration of each sync, in ms; 0 for the disk as it is. */
export type Delay = 0 | 3 | 20;

export interface Contender {
  readonly version: Version;
  readonly delay: Delay;
  readonly server: Server;
}

export interface Equipment {
  readonly checkouts: Readonly<Record<Version, Checkout>>;
  readonly slowSync: SlowSync;
  readonly drafts: readonly NoteDraft[];
}

/** Starts them all, each on a store of its own with the drafts in it, and gives them to `servers`. */
export async function startContenders(
  bench: Bench,
  equipment: Equipment,
  servers: AsyncDisposableStack,
): Promise<Contender[]> {
  const delays: Delay[] = 'shim' in equipment.slowSync ? [0, 3, 20] : [0];
  const contenders: Contender[] = [];
  for (const delay of delays) {
    for (const version of ['now', 'before'] as const) {
      const server = servers.use(await startContender(bench, equipment, { version, delay }));
      contenders.push({ version, delay, server });
    }
  }
  await Promise.all(contenders.map(({ server }) => fill(server.url, equipment.drafts)));
  for (const contender of contenders) await checkDelay(contender);
  return contenders;
}

function startContender(
  bench: Bench,
  { checkouts, slowSync }: Equipment,
  { version, delay }: Omit<Contender, 'server'>,
): Promise<Server> {
  const { root } = checkouts[version];
  return start(bench, {
    argv: [join(root, 'node_modules/.bin/bun'), 'src/main.ts', 'serve'],
    folder: root,
    env: {
      PORT: '0',
      DATABASE_URL: `sqlite:${join(bench.folder, `${version}-${delay}.db`)}`,
      ...(delay > 0 && 'shim' in slowSync && slowSyncEnvironment(slowSync.shim, delay)),
    },
  });
}

/** Throws if a write is faster than a sync should be: syncs are then not delayed. */
async function checkDelay({ server, version, delay }: Contender): Promise<void> {
  const began = performance.now();
  await send(server.url, updateTitle(1, 'A title that takes as long as the disk'));
  const ms = performance.now() - began;
  if (ms < delay)
    throw new Error(`A write took ${ms} ms on the disk of ${delay} ms, ${version}: its syncs are not slow`);
}
