/** Express with Drizzle on better-sqlite3: zod for what comes in, prepared queries. */
import Database from 'better-sqlite3';
import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express from 'express';
import * as z from 'zod';
import { announce, categories, colors, groups, pragmas, schema } from '../notes.js';

const client = new Database(process.env.DATABASE);
for (const pragma of pragmas()) client.pragma(pragma);
client.exec(schema);
const db = drizzle({ client });

const notes = sqliteTable('notes', {
  id: integer().primaryKey(),
  title: text().notNull(),
  content: text().notNull(),
  category: text({ enum: categories }).notNull(),
  group: text({ enum: groups }).notNull(),
  color: text({ enum: colors }).notNull(),
  archived: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: text().notNull(),
  updatedAt: text().notNull(),
});
const { placeholder } = sql;
const fieldNames = ['title', 'content', 'category', 'group', 'color', 'createdAt', 'updatedAt'];
const insert = db
  .insert(notes)
  .values(Object.fromEntries(fieldNames.map((name) => [name, placeholder(name)])))
  .returning()
  .prepare();

const lists = new Map();
/** The query for the filters that are given, prepared once. */
function listBy(names) {
  const conditions = names.map((name) => eq(notes[name], placeholder(name)));
  const list =
    lists.get(names.join()) ??
    db
      .select()
      .from(notes)
      .where(and(...conditions))
      .orderBy(notes.id)
      .prepare();
  lists.set(names.join(), list);
  return list;
}

const Draft = z.object({
  title: z.string().min(1),
  content: z.string().min(1),
  category: z.enum(categories),
  group: z.enum(groups),
  color: z.enum(colors),
});
const Id = z.coerce.number().int().positive();
const Patch = Draft.partial().extend({ id: Id });
const Filter = z.object({
  category: Draft.shape.category.optional(),
  group: Draft.shape.group.optional(),
  archived: z.stringbool().transform(Number).optional(), // a placeholder is bound as it is
});

const app = express();
app.disable('x-powered-by');
app.use(express.json());
const now = () => new Date().toISOString();

function change(response, id, changes) {
  const row = db
    .update(notes)
    .set({ ...changes, updatedAt: now() })
    .where(eq(notes.id, id))
    .returning()
    .get();
  return row ? response.json(row) : response.status(404).json({ error: 'Not found' });
}

app.get('/api/notes', (request, response) => {
  const filter = Filter.parse(request.query);
  response.json(listBy(Object.keys(filter)).all(filter));
});
app.post('/api/notes', (request, response) => {
  const time = now();
  response.status(201).json(insert.get({ ...Draft.parse(request.body), createdAt: time, updatedAt: time }));
});
app.put('/api/notes/:id', (request, response) => {
  const { id: _, ...changes } = Patch.parse(request.body);
  change(response, Id.parse(request.params.id), changes);
});
app.patch('/api/notes/:id/archive', (request, response) =>
  change(response, Id.parse(request.params.id), { archived: true }),
);
app.use((error, _request, response, next) => {
  if (!(error instanceof z.ZodError)) return next(error);
  response.status(400).json({ error: z.prettifyError(error) });
});

const server = app.listen(0, '127.0.0.1', () =>
  announce(server.address().port, client.pragma('synchronous', { simple: true })),
);
