/** The programs that the service is compared with: each in a folder of its own in `peers`, installed on first use. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { fill } from '../loads/fill.ts';
import type { Call } from '../loads/scenarios.ts';
import { type Host, type Server, start } from '../machine/processes.ts';
import { asJsonServer, writeJsonServerFile } from './json-server.ts';

export interface Peer {
  readonly name: string;
  /** In `peers`. */
  readonly folder: string;
  readonly runtime: 'bun' | 'node';
  /** SQLite's `synchronous` mode; by default, that of the driver. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

export const peers: readonly Peer[] = [
  { name: 'json-server', folder: 'json-server', runtime: 'node' },
  { name: 'Express + Drizzle', folder: 'express-drizzle', runtime: 'node' },
  { name: 'Fastify', folder: 'fastify-better-sqlite3', runtime: 'node', synchronous: 'NORMAL' },
  { name: 'Fastify, durable', folder: 'fastify-better-sqlite3', runtime: 'node', synchronous: 'FULL' },
  { name: 'Hono + Drizzle', folder: 'hono-drizzle', runtime: 'bun' },
  { name: 'Elysia', folder: 'elysia', runtime: 'bun', synchronous: 'NORMAL' },
  { name: 'Elysia, durable', folder: 'elysia', runtime: 'bun', synchronous: 'FULL' },
];

/** A call of a scenario in the API of the peer. */
export const translate = ({ folder }: Peer, call: Call): Call => (folder === 'json-server' ? asJsonServer(call) : call);

const folderOf = ({ folder }: Peer) => join(import.meta.dir, '..', 'peers', folder);

/** Starts the peer with the drafts stored in the new file `database`. Throws, saying why, when it cannot run here. */
export async function startPeer(
  host: Host,
  peer: Peer,
  database: string,
  drafts: readonly NoteDraft[],
): Promise<Server> {
  await install(host, folderOf(peer));
  const isJsonServer = peer.folder === 'json-server';
  if (isJsonServer) await writeJsonServerFile(database, drafts);
  const runtime = peer.runtime === 'bun' ? process.execPath : Bun.which('node');
  if (!runtime) throw new Error('Node.js is not installed');
  const env = { NODE_ENV: 'production', DATABASE: database, SYNCHRONOUS: peer.synchronous ?? '' };
  const server = await start(host, { argv: [runtime, 'server.js'], folder: folderOf(peer), env });
  try {
    if (!isJsonServer) await fill(server.url, drafts);
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** The packages of the peer with versions. */
export async function describePeer(peer: Peer): Promise<string> {
  const { dependencies } = await Bun.file(join(folderOf(peer), 'package.json')).json();
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}

/** Installs the packages of the lock file, unless installed since its last change. */
async function install({ signal }: Host, folder: string): Promise<void> {
  if (changedAt(join(folder, 'node_modules/.package-lock.json')) >= changedAt(join(folder, 'package-lock.json')))
    return;
  const child = Bun.spawn(['npm', 'ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], signal });
  const code = await child.exited;
  if (code !== 0) throw new Error(`npm ci in its folder ended with ${code}`);
}

/** In ms since 1970; 0 for no file. */
const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
