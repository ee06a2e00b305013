/** The programs beside which the service is measured, each in a folder of `peers`, installed on first use. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { toJsonServerRequest, writeJsonServerFile } from './json-server.ts';
import { startPocketbase } from './pocketbase.ts';
import { type Program, runCommand, startServerAndWaitForUrl } from './programs.ts';

interface Peer {
  readonly name: string;
  readonly folder: string;
  /** What runs its `server.js`; `own` is for a program that has none. */
  readonly runtime: 'bun' | 'node' | 'own';
  /** SQLite's `synchronous` mode; by default, that of the driver. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Whether it keeps the JSON of each list until the next write. */
  readonly keepsLists?: boolean;
  /** Whether it has the interface of json-server instead of that of the service. */
  readonly isJsonServer?: boolean;
}

const peers: readonly Peer[] = [
  { name: 'Bun.serve in memory', folder: 'bun-serve', runtime: 'bun' },
  { name: 'Express + Drizzle', folder: 'express-drizzle', runtime: 'node' },
  { name: 'Fastify', folder: 'fastify-better-sqlite3', runtime: 'node', synchronous: 'NORMAL' },
  { name: 'Fastify', folder: 'fastify-better-sqlite3', runtime: 'node', synchronous: 'FULL' },
  { name: 'Hono + Drizzle', folder: 'hono-drizzle', runtime: 'bun' },
  { name: 'Elysia', folder: 'elysia', runtime: 'bun', synchronous: 'NORMAL' },
  { name: 'Elysia', folder: 'elysia', runtime: 'bun', synchronous: 'FULL' },
  { name: 'Fastify', folder: 'fastify-better-sqlite3', runtime: 'node', synchronous: 'NORMAL', keepsLists: true },
  { name: 'Elysia', folder: 'elysia', runtime: 'bun', synchronous: 'NORMAL', keepsLists: true },
  { name: 'Elysia', folder: 'elysia', runtime: 'bun', synchronous: 'FULL', keepsLists: true },
  { name: 'PocketBase 0.28', folder: 'pocketbase', runtime: 'own' },
  { name: 'json-server 0.17', folder: 'json-server', runtime: 'node', isJsonServer: true },
  { name: 'json-server 1.0 beta', folder: 'json-server-beta', runtime: 'node', isJsonServer: true },
];

/** Returns the peers in these folders, which are separated by commas; all peers without a list. */
export function choosePeersOrExit(folders: string | undefined): readonly Peer[] {
  if (folders === undefined) return peers;
  const names = new Set(peers.map(({ folder }) => folder));
  const unknown = folders.split(',').filter((folder) => !names.has(folder));
  if (unknown.length === 0) return peers.filter(({ folder }) => folders.split(',').includes(folder));
  console.error(`--only takes ${[...names].join(', ')}, separated by commas, not ${unknown.join(', ')}`);
  process.exit(2);
}

/**
 * Many writes of json-server take longer than a round, as each makes the text of all notes anew. What is still under way
 * at the end of a round would slow down the next program.
 */
const maxJsonServerConnections = 4;

/** Starts the peer on the new file or folder `database`. Throws, saying why, when it cannot run here. */
export async function startPeer(peer: Peer, database: string, drafts: readonly NoteDraft[]): Promise<Program> {
  const folder = join(import.meta.dir, '..', 'peers', peer.folder);
  await installPackagesIfChanged(folder);
  if (peer.runtime === 'own') return startPocketbase(peer.name, { folder, data: database }, drafts);
  if (peer.isJsonServer) await writeJsonServerFile(database, drafts);
  const runtime = peer.runtime === 'bun' ? process.execPath : Bun.which('node');
  if (runtime === null) throw new Error('Node.js is not installed');
  const env = {
    NODE_ENV: 'production',
    DATABASE: database,
    SYNCHRONOUS: peer.synchronous ?? '',
    KEEP_LISTS: peer.keepsLists ? '1' : '',
  };
  const { url, synchronous = 0, pid } = await startServerAndWaitForUrl([runtime, 'server.js'], { folder, env });
  return {
    name: `${peer.name}, ${synchronous >= 2 ? 'synced' : 'not synced'}${peer.keepsLists ? ', keeps lists' : ''}`,
    urls: [url],
    pids: [pid],
    rewrite: peer.isJsonServer ? toJsonServerRequest : (request) => request,
    comparedWith: 'now',
    isPeer: true,
    ...(peer.isJsonServer && { hasDrafts: true, maxConnections: maxJsonServerConnections }),
  };
}

/** Installs the packages of the lock file, unless installed since its last change. */
async function installPackagesIfChanged(folder: string): Promise<void> {
  const changedAt = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
    await runCommand(['npm', 'ci', '--silent'], folder);
  }
}

/** The versions of what the peers are made of. */
export async function formatPeerVersions(peers: readonly Peer[]): Promise<string> {
  const folders = [...new Set(peers.map(({ folder }) => folder))];
  const manifests = folders.map((folder) => Bun.file(join(import.meta.dir, '..', 'peers', folder, 'package.json')));
  const packages = (await Promise.all(manifests.map((file) => file.json()))).flatMap(({ dependencies }) =>
    Object.entries(dependencies).map(([name, version]) => `${name} ${version}`),
  );
  const node = Bun.which('node');
  if (node !== null) packages.push(`Node.js ${(await runCommand([node, '--version'])).replace('v', '')}`);
  return [...new Set(packages)].sort().join(', ');
}
