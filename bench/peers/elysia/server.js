/** Elysia with bun:sqlite: its own schemas for what comes in and goes out, prepared statements. */
import { Database } from 'bun:sqlite';
import { Elysia, status, t } from 'elysia';
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

const db = new Database(process.env.DATABASE, { strict: true });
for (const pragma of pragmas()) db.run(`PRAGMA ${pragma}`);
db.run(schema);

const insert = db.prepare(
  `INSERT INTO notes (title, content, category, "group", color, createdAt, updatedAt)
   VALUES ($title, $content, $category, $group, $color, $now, $now) RETURNING *`,
);
const update = db.prepare(
  `UPDATE notes SET title = coalesce($title, title), content = coalesce($content, content),
     category = coalesce($category, category), "group" = coalesce($group, "group"), color = coalesce($color, color),
     updatedAt = $now
   WHERE id = $id RETURNING *`,
);
const archive = db.prepare('UPDATE notes SET archived = 1, updatedAt = $now WHERE id = $id RETURNING *');

/** `query` keeps a prepared statement for each text. */
function listBy(filter) {
  const where = Object.keys(filter).map((name) => `"${name}" = $${name}`);
  return db.query(`SELECT * FROM notes WHERE ${where.join(' AND ') || 'true'} ORDER BY id`).all(filter);
}

const oneOf = (values) => t.Union(values.map((value) => t.Literal(value)));
const fields = {
  title: t.String({ minLength: 1 }),
  content: t.String({ minLength: 1 }),
  category: oneOf(categories),
  group: oneOf(groups),
  color: oneOf(colors),
};
const id = t.Integer({ minimum: 1 });
const Note = t.Object({ id, ...fields, archived: t.Boolean(), createdAt: t.String(), updatedAt: t.String() });
const Missing = t.Object({ error: t.String() });
const Params = t.Object({ id });
const Draft = t.Object(fields);
const Patch = t.Composite([t.Object({ id }), t.Partial(Draft)]);
const Filter = t.Partial(t.Object({ category: fields.category, group: fields.group, archived: t.BooleanString() }));
const unchanged = { title: null, content: null, category: null, group: null, color: null };

const now = () => new Date().toISOString();
const noteOf = (row) => ({ ...row, archived: row.archived === 1 });
const found = ([row]) => (row ? noteOf(row) : status(404, { error: 'Not found' }));

const readNotes = (query) => listBy(query).map(noteOf);
const respondWithKeptList = ({ query, request }) =>
  new Response(
    getOrKeepListJson(request.url, () => readNotes(query)),
    { headers: { 'Content-Type': 'application/json' } },
  );

const app = new Elysia()
  .get('/api/notes', keepsLists ? respondWithKeptList : ({ query }) => readNotes(query), {
    query: Filter,
    ...(!keepsLists && { response: t.Array(Note) }),
  })
  .onAfterHandle(({ request }) => {
    if (request.method !== 'GET') dropKeptLists();
  })
  .post('/api/notes', ({ body }) => status(201, noteOf(insert.all({ ...body, now: now() })[0])), {
    body: Draft,
    response: { 201: Note },
  })
  .put(
    '/api/notes/:id',
    ({ params, body }) => found(update.all({ ...unchanged, ...body, id: params.id, now: now() })),
    { params: Params, body: Patch, response: { 200: Note, 404: Missing } },
  )
  .patch('/api/notes/:id/archive', ({ params }) => found(archive.all({ id: params.id, now: now() })), {
    params: Params,
    response: { 200: Note, 404: Missing },
  })
  .listen({ hostname: '127.0.0.1', port: 0 });

announce(app.server.port, db.query('PRAGMA synchronous').get().synchronous);
