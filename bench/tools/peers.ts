/** The programs beside which the service is measured, each in a folder of `peers`, installed on first use. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, runCommand, startServerAndWaitForUrl } from './programs.ts';

interface Peer {
  readonly name: string;
  readonly folder: string;
  readonly runtime: 'bun' | 'node';
  /** SQLite's `synchronous` mode; by default, that of the driver. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Whether it keeps the JSON of each list until the next write. */
  readonly keepsLists?: boolean;
}

export const peers: readonly Peer[] = [
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
];

/** Starts the peer on the new file `database`. Throws, saying why, when it cannot run here. */
export async function startPeer(peer: Peer, database: string): Promise<Program> {
  const folder = join(import.meta.dir, '..', 'peers', peer.folder);
  await installPackagesIfChanged(folder);
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
    rewrite: (request) => request,
    comparedWith: 'now',
    isPeer: true,
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
export async function formatPeerVersions(): Promise<string> {
  const folders = [...new Set(peers.map(({ folder }) => folder))];
  const manifests = folders.map((folder) => Bun.file(join(import.meta.dir, '..', 'peers', folder, 'package.json')));
  const packages = (await Promise.all(manifests.map((file) => file.json()))).flatMap(({ dependencies }) =>
    Object.entries(dependencies).map(([name, version]) => `${name} ${version}`),
  );
  return [...new Set(packages)].sort().join(', ');
}
