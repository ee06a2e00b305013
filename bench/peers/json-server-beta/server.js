/** json-server 1 as its command starts it, but on a free port of this machine alone: the command listens on all addresses. */
import { mkdirSync } from 'node:fs';
import { NormalizedAdapter } from 'json-server/lib/adapters/normalized-adapter.js';
import { createApp } from 'json-server/lib/app.js';
import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import { announce } from '../notes.js';

const db = new Low(new NormalizedAdapter(new JSONFile(process.env.DATABASE)), {});
await db.read();
mkdirSync('public', { recursive: true }); // of static files: it ends without this folder
const server = createApp(db).listen(0, () => announce(server.address().port, 0), '127.0.0.1');
