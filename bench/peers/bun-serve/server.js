/**
 * The floor: `Bun.serve` with the notes in memory, lists kept as JSON, no checks and no database. What a service adds to
 * it is what it does for its users.
 */
import { announce } from '../notes.js';

const notes = [];
const keptLists = new Map();
const filterNames = ['category', 'group', 'archived'];

const now = () => new Date().toISOString();
const json = (text, status = 200) => new Response(text, { status, headers: { 'Content-Type': 'application/json' } });

function listJson({ url }) {
  const kept = keptLists.get(url);
  if (kept !== undefined) return kept;
  const { searchParams } = new URL(url);
  const wanted = filterNames.filter((name) => searchParams.has(name));
  const text = JSON.stringify(
    notes.filter((note) => wanted.every((name) => String(note[name]) === searchParams.get(name))),
  );
  keptLists.set(url, text);
  return text;
}

function create(fields) {
  const at = now();
  const note = { id: notes.length + 1, ...fields, archived: false, createdAt: at, updatedAt: at };
  notes.push(note);
  keptLists.clear();
  return json(JSON.stringify(note), 201);
}

function change({ params }, fields) {
  const index = Number(params.id) - 1;
  const before = notes[index];
  if (before === undefined) return json('{"error":"Not found"}', 404);
  notes[index] = { ...before, ...fields, id: before.id, updatedAt: now() };
  keptLists.clear();
  return json(JSON.stringify(notes[index]));
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: {
    '/api/notes': {
      GET: (request) => json(listJson(request)),
      POST: async (request) => create(await request.json()),
    },
    '/api/notes/:id': { PUT: async (request) => change(request, await request.json()) },
    '/api/notes/:id/archive': { PATCH: (request) => change(request, { archived: true }) },
  },
});

announce(server.port, 0);
