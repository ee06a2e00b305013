/** Fastify with better-sqlite3: JSON Schema for what comes in and goes out, prepared statements. */
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import {
  announce,
  categories,
  colors,
  dropKeptLists,
  getOrKeepListJson,
  groups,
  keepsLists,
  pragmas,
  schema,
} from '../notes.js';

const db = new Database(process.env.DATABASE);
for (const pragma of pragmas()) db.pragma(pragma);
db.exec(schema);

const insert = db.prepare(
  `INSERT INTO notes (title, content, category, "group", color, createdAt, updatedAt)
   VALUES (@title, @content, @category, @group, @color, @now, @now) RETURNING *`,
);
const update = db.prepare(
  `UPDATE notes SET title = coalesce(@title, title), content = coalesce(@content, content),
     category = coalesce(@category, category), "group" = coalesce(@group, "group"), color = coalesce(@color, color),
     updatedAt = @now
   WHERE id = @id RETURNING *`,
);
const archive = db.prepare('UPDATE notes SET archived = 1, updatedAt = @now WHERE id = @id RETURNING *');

const lists = new Map();
/** The statement for the filters that are given, prepared once. */
function listBy(names) {
  const where = names.map((name) => `"${name}" = @${name}`).join(' AND ') || 'true';
  const list = lists.get(where) ?? db.prepare(`SELECT * FROM notes WHERE ${where} ORDER BY id`);
  lists.set(where, list);
  return list;
}

const fields = {
  title: { type: 'string', minLength: 1 },
  content: { type: 'string', minLength: 1 },
  category: { type: 'string', enum: categories },
  group: { type: 'string', enum: groups },
  color: { type: 'string', enum: colors },
};
const note = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    ...fields,
    archived: { type: 'boolean' },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
};
const params = { type: 'object', properties: { id: { type: 'integer' } } };
const query = {
  type: 'object',
  properties: { category: fields.category, group: fields.group, archived: { type: 'boolean' } },
};
const draft = { type: 'object', properties: fields, required: Object.keys(fields) };
const patch = { type: 'object', properties: { id: params.properties.id, ...fields }, required: ['id'] };
const unchanged = { title: null, content: null, category: null, group: null, color: null };

const app = Fastify();
const now = () => new Date().toISOString();
const found = (reply, row) => row ?? reply.code(404).send({ error: 'Not found' });

function readRows({ archived, ...rest }) {
  const filter = archived === undefined ? rest : { archived: Number(archived), ...rest };
  return listBy(Object.keys(filter)).all(filter);
}
const readNotes = (query) => readRows(query).map((row) => ({ ...row, archived: row.archived === 1 }));

if (keepsLists) {
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET') dropKeptLists();
  });
  app.get('/api/notes', { schema: { querystring: query } }, (request, reply) =>
    reply.type('application/json').send(getOrKeepListJson(request.url, () => readNotes(request.query))),
  );
} else {
  app.get(
    '/api/notes',
    { schema: { querystring: query, response: { 200: { type: 'array', items: note } } } },
    (request) => readRows(request.query),
  );
}
app.post('/api/notes', { schema: { body: draft, response: { 201: note } } }, (request, reply) => {
  reply.code(201);
  return insert.get({ ...request.body, now: now() });
});
app.put('/api/notes/:id', { schema: { params, body: patch, response: { 200: note } } }, (request, reply) =>
  found(reply, update.get({ ...unchanged, ...request.body, id: request.params.id, now: now() })),
);
app.patch('/api/notes/:id/archive', { schema: { params, response: { 200: note } } }, (request, reply) =>
  found(reply, archive.get({ id: request.params.id, now: now() })),
);

await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port, db.pragma('synchronous', { simple: true }));
